// The page before a recording: scrubbing, playing, stepping through frames, and what lies between two of them.
//   node test_page_recording.mjs BUILD SOURCE
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath, openBrowser, program, runParts, startTalus, until } from './browser.mjs';
import { writeScene } from './page_scene.mjs';

const [build, source] = process.argv.slice(2);
const talus = program(build);
chromiumPath();
const { folder, file } = writeScene({ duration: 2, record: { rate: 10, contacts: true } });
const result = join(folder, 'run.h5');
const run = spawnSync(talus, ['run', file, '-o', result], { encoding: 'utf8' });
assert.equal(run.status, 0, run.stderr);

const browser = await openBrowser(build, source),
  { page, complaints } = browser;
const server = await startTalus(build, ['view', result, '--port', '0', '--no-browser']);
const state = () => page.evaluate(() => window.talusView.state());
const position = async (index) => (await page.evaluate((i) => window.talusView.body(i), index)).position;
const ask = (command) => page.evaluate((c) => window.talusView.send(c), command);
const arrived = (time) =>
  until(`time ${time}`, async () => {
    // the frames around it are here, and shown
    const s = await state(),
      [a, b] = s.frameTimes;
    return Math.abs(s.time - time) < 1e-6 && Math.abs(a + s.mix * (b - a) - time) < 1e-6 && b - a < 0.11;
  });

async function scrub(time) {
  await page.locator('#scrub').evaluate((e, t) => {
    e.value = t;
    e.dispatchEvent(new Event('input', { bubbles: true }));
  }, time);
  return arrived(time);
}

async function opens() {
  await page.goto(server.url);
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  const s = await state();
  assert.deepEqual([s.kind, s.frames, s.running, s.can.edit], ['recording', 21, false, false]);
  assert.ok(
    (await page.locator('#timeline').isVisible()) &&
      !(await page.locator('#section-simulation').isVisible()) &&
      !(await page.locator('#tools').isVisible()),
  );
}

async function scrubs() {
  const ball = (await ask({ do: 'find', name: 'big' })).index + 5; // one of the balls that fall
  const at = {};
  for (const time of [0, 1.5, 0.5, 0.4]) {
    await scrub(time);
    at[time] = await position(ball);
    await until(
      'the clock',
      async () => (await page.locator('#clock').textContent()) === `${time.toFixed(3)} s`,
    );
  }
  assert.notDeepEqual(at[0], at[1.5]);
  await scrub(0.45);
  const middle = await position(ball);
  middle.forEach((x, k) =>
    assert.ok(Math.abs(x - (at[0.4][k] + at[0.5][k]) / 2) < 1e-5, 'half way between two frames'),
  );
  // What the server says of the frame it sent last is what is shown of it.
  await page.reload();
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  await page.locator('#scrub').evaluate((e) => {
    e.value = 2;
    e.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await arrived(2);
  const said = (await ask({ do: 'pick', body: ball })).body,
    shown = await position(ball);
  if (Math.abs(said.time - 2) < 1e-9)
    said.position.forEach((x, k) =>
      assert.ok(Math.abs(x - shown[k]) < 2e-4, `${said.position} and ${shown}`),
    );
  else assert.fail(`the last frame sent was of ${said.time} s`);
}

async function playsAndSteps() {
  await scrub(0.5);
  await page.locator('#canvas').focus();
  await page.keyboard.press('.');
  await arrived(0.6);
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  await arrived(0.4);
  await page.keyboard.press('Home');
  await arrived(0);
  await page.locator('#speed').selectOption('0.5');
  await page.locator('#speed').selectOption('1');
  await page.locator('#loop').uncheck();
  await page.locator('#play').click();
  const seen = new Set();
  await until(
    'the end',
    async () => {
      const s = await state();
      seen.add(s.time.toFixed(4));
      return Math.abs(s.time - 2) < 1e-6 && !s.running;
    },
    30,
  );
  assert.ok(
    [...seen].some((t) => Number(t) % 0.1 > 0.01 && Number(t) % 0.1 < 0.09),
    'pictures between frames',
  );
  await page.locator('#loop').check();
  await page.locator('#canvas').focus();
  await page.keyboard.press('a');
  await until('it to start again', async () => {
    const s = await state();
    return s.running && s.time < 1.5;
  });
  await page.keyboard.press('a');
  assert.equal((await state()).running, false);
}

async function showsNumbersOfTheWhole() {
  const big = (await ask({ do: 'find', name: 'big' })).index;
  await page.evaluate((i) => window.talusView.pick(i), big);
  await page.getByRole('button', { name: 'Plot velocity' }).click();
  await until('its velocity over the recording', () =>
    page.evaluate((i) => window.talusView.series(i, 'vz').length === 21, big),
  );
  await page.locator('#add-plot').selectOption('residual');
  await until('reports of the run', () =>
    page.evaluate(() => window.talusView.history('residual').length > 100),
  );
  await until('two plots', async () => (await page.locator('.plot canvas').count()) === 2);
  await page.getByLabel('Force chains').check();
  await until('recorded contacts', async () => (await state()).contacts > 50);
  await page.getByLabel('Colour by').selectOption('speed');
  await until('colours by speed', async () => (await state()).legend.field === 'speed');
  if (process.env.TALUS_PICTURES)
    await page.screenshot({ path: join(process.env.TALUS_PICTURES, 'recording.png') });
}

async function linksCarryTime() {
  await scrub(1.25);
  const link = await page.evaluate(() => window.talusView.link()),
    other = await browser.context.newPage();
  await other.goto(link);
  await other.waitForFunction(() => window.talusView?.state().bodies > 0);
  await until('the time of the link', () =>
    other.evaluate(() => Math.abs(window.talusView.state().time - 1.25) < 1e-6),
  );
  await other.close();
}

/** The button has the server trace this view; asked for fewer pixels here, which take less time. */
async function rendersOnTheServer() {
  let asked = null;
  await page.route('**/picture?*', (route) => {
    asked = new URL(route.request().url());
    const fewer = new URL(asked);
    fewer.searchParams.set('w', '64');
    fewer.searchParams.set('h', '48');
    return route.continue({ url: fewer.href });
  });
  await page.locator('#section-share').evaluate((e) => {
    e.open = true;
  });
  const [png] = await Promise.all([
    page.waitForEvent('download', { timeout: 120000 }),
    page.locator('#render').click(),
  ]);
  const data = readFileSync(await png.path());
  assert.equal(data.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([data.readUInt32BE(16), data.readUInt32BE(20)], [64, 48]);
  const s = await state();
  assert.ok(Math.abs(Number(asked.searchParams.get('t')) - s.time) < 1e-6, asked.search);
  assert.equal(asked.searchParams.get('cam').split(',').length, 7);
  assert.ok(Number(asked.searchParams.get('w')) <= 1920 && Number(asked.searchParams.get('h')) <= 1080);
}

await runParts([opens, scrubs, playsAndSteps, showsNumbersOfTheWhole, rendersOnTheServer, linksCarryTime], {
  complaints,
  state,
  picture: async (name) => {
    if (process.env.TALUS_PICTURES)
      await page.screenshot({ path: join(process.env.TALUS_PICTURES, `${name}.png`) });
  },
  clean: async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  },
});
