// What the page's tests share: finding playwright-core and Chromium (or skipping with a reason), opening
// the page in a browser that draws in software, starting and stopping the real program.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

/** A package of the viewer's: it lies where `npm ci` was run. */
export function viewerPackage(build, source, name) {
  for (const folder of [join(build, 'viewer'), join(source, 'viewer')]) {
    try {
      return createRequire(join(folder, 'package.json'))(name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return skip(`${name} is not installed (npm ci in viewer/)`);
}

export function chromiumPath() {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) =>
    existsSync(p),
  );
  return path ?? skip('no Chromium');
}

export function program(build) {
  const path = join(build, 'talus');
  try {
    accessSync(path, constants.X_OK);
  } catch {
    skip(`no ${path}`);
  }
  return path;
}

/** A browser of its own, with nothing in it. `complaints` collects errors of the page and requests that left `host`. */
export async function openBrowser(build, source, options = {}) {
  const executablePath = chromiumPath(),
    { chromium } = viewerPackage(build, source, 'playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'talus-page-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    viewport: { width: 1280, height: 720 },
    colorScheme: 'dark',
    acceptDownloads: true,
    ...options,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints = [];
  page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type()) && !expected(m.text()))
      complaints.push(`${m.type()}: ${m.text()}`);
  });
  page.on('pageerror', (e) => complaints.push(`exception: ${e.message}`));
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.hostname !== '127.0.0.1')
      complaints.push(`request to ${url.hostname}`);
  });
  return {
    page,
    context,
    complaints,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

// A server that was killed on purpose, and what a browser that draws in software says of its own speed.
function expected(text) {
  return (
    /WebSocket connection to .* failed/.test(text) ||
    /GPU stall due to ReadPixels/.test(text) ||
    /too-many-active-contexts/.test(text)
  );
}

/** Starts `talus ARGUMENTS` and resolves once it has printed its address. */
export function startTalus(build, args) {
  const child = spawn(program(build), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const server = {
    child,
    get output() {
      return output;
    },
  };
  server.stop = (signal = 'SIGTERM') =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) {
        resolve();
        return;
      }
      child.once('exit', resolve);
      child.kill(signal);
    });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no address within 60 s; it said: ${output}`));
    }, 60000);
    const listen = (data) => {
      output += data;
      const found = /http:\/\/[^\s]+/.exec(output);
      if (found) {
        clearTimeout(timer);
        server.url = found[0];
        resolve(server);
      }
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`talus ended with ${code}; it said: ${output}`));
    });
  });
}

/** Waits until `check` (in Node) is true, or says what it was waiting for. */
export async function until(what, check, seconds = 60) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits for a picture that shows everything known now, at rest and with every pixel. */
export async function sharp(page) {
  await page.evaluate(() => window.talusView.drawn());
  await until('a sharp picture', () => page.evaluate(() => window.talusView.state().sharp));
}

/** Runs the parts of a page's test, one after the other, with the time that each took. What fails is told with the page's
 *  `state` and its complaints, and a picture where `picture` takes one; `clean` comes last, whatever happened. */
export async function runParts(parts, { complaints, state, picture = async () => {}, clean }) {
  try {
    for (const part of parts) {
      const start = Date.now();
      await part();
      console.log(`ok   ${part.name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    }
    if (complaints.length) throw new Error('the page complained');
  } catch (error) {
    await picture('failed').catch(() => {});
    console.log(`state: ${JSON.stringify(await state().catch(() => null))}`);
    console.log(`complaints: ${complaints.join('\n')}`);
    console.log(error.stack);
    process.exitCode = 1;
  } finally {
    await clean();
  }
}
