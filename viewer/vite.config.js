import { defineConfig } from 'vite';

// One script and one style sheet with relative addresses: the program serves them as they are.
export default defineConfig({
  base: './',
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: addresses are not allowed by the page's policy
    chunkSizeWarningLimit: 1200,
    rollupOptions: {
      output: {
        manualChunks: undefined,
        entryFileNames: 'assets/viewer.js',
        assetFileNames: 'assets/viewer[extname]',
      },
    },
  },
  server: { proxy: { '/stream': { target: 'ws://127.0.0.1:8642', ws: true } } },
});
