// How fast the page is: pictures a second for 10,000, 100,000 and 1,000,000 moving balls, and what part of
// a picture is unpacking the frame, what part drawing. Frames are made here and go through a real
// WebSocket and the page's own way of decoding. Beside wall-clock time it reads the CPU time of the
// browser's two processes, which a busy machine changes little: the one that draws (without a GPU: all of
// OpenGL) and the page's own. Not a test: run it by hand.
//   node tests/viewer/framerate.mjs BUILD SOURCE [seconds] [sizes...]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { openBrowser, viewerPackage, skip } from './browser.mjs';

const [build, source, seconds = '6', ...sizes] = process.argv.slice(2);
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** The table of `n` balls on a cubic lattice and a floor, in messages of 65,536 bodies. */
function tables(n, radius) {
  const out = [],
    most = 65536;
  for (let from = 0; from < n; from += most) {
    const count = Math.min(most, n - from),
      buffer = new ArrayBuffer(24 + 40 * count),
      u32 = new Uint32Array(buffer),
      f32 = new Float32Array(buffer);
    u32.set([1 | ((from + count === n ? 1 : 0) << 8), 1, count, count, 0, 0]);
    for (let i = 0; i < count; i++) {
      const at = 6 + 4 * i,
        ball = 6 + 4 * count + 6 * i;
      u32[at] = from + i + 1;
      f32[at + 2] = 1;
      f32[at + 3] = radius;
      u32[ball] = from + i + 1;
      u32[ball + 1] = (from + i) % 5;
      f32[ball + 5] = radius;
    }
    out.push(buffer);
  }
  return out;
}

/** A frame in which every ball has moved: a wave runs through the lattice. */
function frame(n, side, phase, sequence) {
  const buffer = new ArrayBuffer(88 + 12 * n + 8),
    view = new DataView(buffer);
  view.setUint8(0, 3);
  view.setUint8(1, 3);
  view.setUint32(4, 1, true);
  view.setFloat64(8, sequence / 50, true);
  view.setFloat64(16, sequence, true);
  [sequence, sequence, n].forEach((x, k) => view.setUint32(24 + 4 * k, x, true));
  [-1, -1, 0].forEach((x, k) => view.setFloat64(40 + 8 * k, x, true));
  view.setFloat64(64, 2e-6, true);
  [n, 2, 0, 0].forEach((x, k) => view.setUint32(72 + 4 * k, x, true));
  const places = new Uint32Array(buffer, 88, 2 * n),
    turns = new Uint32Array(buffer, 88 + 8 * n, n),
    spacing = 1e6 / side;
  for (let i = 0; i < n; i++) {
    const a = i % side,
      b = Math.floor(i / side) % side,
      c = Math.floor(i / (side * side));
    const x = Math.round((a + 0.5) * spacing),
      y = Math.round((b + 0.5) * spacing);
    const z = Math.round((c + 1 + 0.5 * Math.sin(phase + (6 * a) / side)) * spacing * 0.6);
    places[2 * i] = (x | (y << 21)) >>> 0;
    places[2 * i + 1] = ((y >>> 11) | (z << 10)) >>> 0;
    turns[i] = (511 << 20) | (511 << 10) | (511 + (i % 400));
  }
  new Uint32Array(buffer, 88 + 12 * n, 2).set([1, n]);
  return buffer;
}

const stamp = (buffer, sequence) => {
  // the same picture again, as a newer state
  const view = new DataView(buffer);
  view.setFloat64(8, sequence / 50, true);
  view.setFloat64(16, sequence, true);
  view.setUint32(24, sequence, true);
  view.setUint32(28, sequence, true);
};

function serve(n) {
  const { WebSocketServer } = viewerPackage(build, source, 'ws');
  const root =
    [join(build, 'viewer/dist'), join(source, 'viewer/dist')].find((d) =>
      existsSync(join(d, 'index.html')),
    ) ?? skip('the page is not built');
  const side = Math.ceil(Math.cbrt(n)),
    radius = 0.95 / side,
    frames = [0, 1, 2, 3].map((k) => frame(n, side, (k * Math.PI) / 2, k)),
    table = tables(n, radius);
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname),
      file = path === '/' ? '/index.html' : path;
    const data = await readFile(join(root, file)).catch(() => null);
    response.writeHead(data ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
    response.end(data ?? '');
  });
  new WebSocketServer({
    server,
    path: '/stream',
    perMessageDeflate: false,
    handleProtocols: () => 'talus-view-1',
  }).on('connection', (socket) => {
    let sequence = 0;
    socket.on('message', (text) => {
      const command = JSON.parse(String(text));
      if (command.do !== 'ready') return;
      for (let k = 0; k < (command.credits ?? 1); k++) {
        sequence++;
        stamp(frames[sequence % 4], sequence);
        socket.send(frames[sequence % 4].slice(0));
      }
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        protocol: 1,
        program: 'framerate',
        kind: 'live',
        epoch: 1,
        title: `${n} balls`,
        source: '',
        backend: 'none',
        duration: null,
        first_time: 0,
        frames: 0,
        box: [
          [-1, -1, 0],
          [1, 1, 1],
        ],
        radius,
        quantum: 2e-6,
        bodies: n,
        names: 0,
        materials: [0, 1, 2, 3, 4].map((index) => ({ index, name: `material ${index}` })),
        parameters: {},
        can: { control: true, edit: false, restart: false, record: false },
        report_columns: ['steps', 'time'],
        series_columns: ['time'],
        words: { body: ['dynamic'], solver: ['psor'], law: ['default'], overlap: ['split'] },
      }),
    );
    socket.send(
      JSON.stringify({
        type: 'state',
        running: true,
        real_time: true,
        speed: 1,
        time: 0,
        steps: 0,
        ended: false,
        frames: 0,
        growing: false,
        viewers: 1,
        message: '',
      }),
    );
    for (const part of table) socket.send(part);
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}/`,
        close: () => server.closeAllConnections?.() ?? server.close(),
      }),
    ),
  );
}

/** CPU milliseconds so far of the browser's processes, by kind: { draws, page }. */
function cpu() {
  const list = readdirSync('/proc')
    .filter((p) => /^\d+$/.test(p))
    .map((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8'),
          fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return {
          pid,
          parent: fields[1],
          ticks: Number(fields[11]) + Number(fields[12]),
          command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
        };
      } catch {
        return null; // it ended meanwhile
      }
    })
    .filter(Boolean);
  const ours = new Set([String(process.pid)]);
  for (let before = 0; before !== ours.size;) {
    before = ours.size;
    for (const p of list) if (ours.has(p.parent)) ours.add(p.pid);
  }
  const sum = (kind) =>
    10 *
    list
      .filter((p) => ours.has(p.pid) && p.command.includes(`--type=${kind}`))
      .reduce((t, p) => t + p.ticks, 0);
  return { draws: sum('gpu-process'), page: sum('renderer') };
}

async function measure(n, shadows) {
  const server = await serve(n),
    browser = await openBrowser(build, source),
    { page } = browser;
  await page.goto(server.url);
  await page.waitForFunction(() => window.talusView?.stats().pictures > 2, null, { timeout: 240000 });
  if (!shadows) await page.getByLabel('Shadows').uncheck({ timeout: 120000 });
  const before = cpu();
  const result = await page.evaluate(
    async (ms) => {
      const view = window.talusView,
        before = view.stats(),
        start = performance.now();
      while (performance.now() - start < ms) await new Promise(requestAnimationFrame);
      view.pixel(1, 1); // until the last pixel is there
      const after = view.stats(),
        took = (performance.now() - start) / 1000,
        pictures = after.pictures - before.pictures + 1;
      return {
        count: pictures,
        pictures: pictures / took,
        frames: (after.frames - before.frames) / took,
        unpack: after.decodeMs,
        submit: after.drawMs,
        bytes: after.bytes,
      };
    },
    1000 * Number(seconds),
  );
  const after = cpu();
  result.draws = (after.draws - before.draws) / result.count;
  result.page = (after.page - before.page) / result.count;
  await browser.close();
  server.close();
  return result;
}

console.log(
  '| bodies | shadows | pictures/s | CPU ms a picture: drawing | CPU ms a picture: the page | of it unpacking a frame, ms | frame, MB |',
);
console.log('| ---: | --- | ---: | ---: | ---: | ---: | ---: |');
for (const n of sizes.length ? sizes.map(Number) : [10000, 100000, 1000000])
  for (const shadows of [true, false]) {
    const r = await measure(n, shadows);
    console.log(
      `| ${n.toLocaleString('en')} | ${shadows ? 'on' : 'off'} | ${r.pictures.toFixed(1)} | ${r.draws.toFixed(0)} | ${r.page.toFixed(0)} | ${r.unpack.toFixed(1)} | ${(r.bytes / 1e6).toFixed(2)} |`,
    );
  }
process.exit(0);
