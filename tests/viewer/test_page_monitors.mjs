// The page and what monitors measure: the list to tick, plots with units, legend and range, live and of a recording; and
// the settings of impacts beside them.
//   node test_page_monitors.mjs BUILD SOURCE       (TALUS_PICTURES=folder keeps screenshots)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, openBrowser, program, runParts, startTalus, until } from './browser.mjs';

const [build, source] = process.argv.slice(2);
const talus = program(build);
chromiumPath();
const SCENE = {
  version: 1,
  title: 'A ball that bounces',
  step: 0.001,
  duration: 1000,
  record: { rate: 50 },
  materials: { rubber: { restitution: 0.8 } },
  bodies: [
    { name: 'floor', kind: 'fixed', shapes: [{ kind: 'plane', material: 'rubber' }] },
    {
      name: 'ball',
      position: [0, 0, 0.5],
      velocity: [0.2, 0, 0],
      shapes: [{ kind: 'sphere', radius: 0.1, material: 'rubber' }],
    },
  ],
  monitors: {
    load: { kind: 'force', on: 'floor', axis: [0, 0, -1] },
    height: { kind: 'position', on: 'ball' },
    flow: { kind: 'mass_flow', on: 'ball', plane: { point: [0, 0, 0.3], normal: [0, 0, 1] } },
    speed: { kind: 'speed' },
  },
};
const folder = mkdtempSync(join(tmpdir(), 'talus-scene-')),
  file = join(folder, 'bounce.json'),
  result = join(folder, 'bounce.h5');
writeFileSync(file, JSON.stringify(SCENE));
const browser = await openBrowser(build, source, { colorScheme: 'light' }),
  { page, complaints } = browser;
let server = await startTalus(build, ['view', file, '-o', result, '--port', '0', '--no-browser', '--paused', '--free']);

const state = () => page.evaluate(() => window.talusView.state());
const ask = (command) => page.evaluate((c) => window.talusView.send(c), command);
const monitor = (name) => page.evaluate((n) => window.talusView.monitor(n), name);
const plot = (name) => page.locator(`.plot[data-plot="monitor-${name}"]`);
const box = (name) => page.locator(`#monitor-${name}`);
/** Ticks a monitor as a person does: looks whether the click arrived, and clicks again if not. */
const tick = (name, on = true) =>
  until(`${name} to be ${on ? 'ticked' : 'unticked'}`, async () => {
    if ((await box(name).isChecked()) === on) return true;
    await box(name).click();
    return false;
  });
async function picture(name) {
  if (process.env.TALUS_PICTURES)
    await page.screenshot({ path: join(process.env.TALUS_PICTURES, `${name}.png`) });
}

async function opens(address) {
  await page.goto(address);
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  await page.evaluate(() => window.talusView.drawn());
}

/** What the result holds: channel -> values, one per step. */
function recorded() {
  const table = join(folder, 'monitors.csv'),
    run = spawnSync(talus, ['export', result, '--format', 'monitors', '-o', table, '--force', '--quiet']);
  assert.equal(run.status, 0, String(run.stderr));
  const [head, ...lines] = readFileSync(table, 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(','));
  return Object.fromEntries(head.map((name, k) => [name.replace('"', '').split(' ')[0], lines.map((line) => Number(line[k]))]));
}

/** Steps until the page has them all. */
async function step(count) {
  const { steps } = await state();
  await ask({ do: 'step', count });
  await until(`step ${steps + count}`, async () => (await state()).steps === steps + count);
}

let live; // what the page showed of the run

async function listsMonitorsToTick() {
  await page.locator('#canvas').focus();
  await page.keyboard.press('p');
  assert.deepEqual(await page.locator('#monitor-list label').allTextContents(), [
    'load (N)',
    'height (m)',
    'flow (kg/s, kg)',
    'speed (m/s)',
  ]);
  assert.ok(!(await box('load').isChecked()));
  await step(300); // before somebody asks
  await tick('load');
  await until('the past', async () => (await monitor('load'))?.steps.length === 300);
  assert.equal(await plot('load').locator('h3').textContent(), 'load (N)');
  for (const name of ['height', 'flow']) await tick(name);
  await step(20);
  for (let k = 0; k < 3; k++) await step(1000); // more than one picture could show
  await until('all plots', async () => (await page.locator('.plot[data-plot^="monitor"] canvas').count()) === 3);
  await until('all steps', async () => (await monitor('load'))?.steps.at(-1) === 3320);
  live = await monitor('load');
  assert.deepEqual(
    live.channels.map((c) => [c.name, c.unit]),
    ['x', 'y', 'z', 'magnitude', 'along'].map((c) => [`load.${c}`, 'N']),
  );
}

async function showsLegendAndRange() {
  const texts = await plot('load').locator('.u-legend .u-label').allTextContents();
  assert.deepEqual(texts, ['t', 'x', 'y', 'z', 'magnitude', 'along']);
  const units = await plot('flow').locator('.u-legend .u-label').allTextContents();
  assert.deepEqual(units, ['t', 'rate (kg/s)', 'total (kg)', 'count']);
  const along = live.channels[4].range[1];
  assert.ok(along > 100, `${along}`);
  await until('the greatest value', async () =>
    (await plot('load').locator('.ranges').textContent()).includes(
      `along: 0 to ${String(Number(along.toPrecision(4)))} N`,
    ),
  );
  await page.locator('#canvas').focus();
  await page.keyboard.press('0');
  await until('all pixels', async () => (await state()).coarse === 0);
  await picture('monitors-live');
}

async function savesNumbers() {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    plot('load').getByRole('button', { name: 'CSV' }).click(),
  ]);
  const [head, ...rows] = readFileSync(await saved.path(), 'utf8').trim().split('\n');
  assert.equal(head.split(',').slice(-3).join(), 'load.along,load.along least,load.along greatest');
  const greatest = Math.max(...rows.map((r) => Number(r.split(',').at(-1))));
  assert.equal(greatest, live.channels[4].range[1]);
}

async function untickedIsGone() {
  await tick('height', false);
  await until('one plot less', async () => (await plot('height').count()) === 0);
  await plot('flow').getByRole('button', { name: /Remove/ }).click();
  await until('it to be unticked', async () => !(await box('flow').isChecked()));
  assert.deepEqual(
    await page.evaluate(() => window.talusView.monitors().filter((m) => m.plotted).map((m) => m.name)),
    ['load'],
  );
  await page.reload(); // a page that comes anew begins without
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  assert.equal(await monitor('load'), null);
}

async function changesHowImpactsShareAStep() {
  await page.locator('#section-simulation > summary').click();
  const settings = async () => (await state()).settings;
  assert.equal((await settings()).impacts, 'propagating');
  await page.getByLabel('Impacts').selectOption('simultaneous');
  await until('impacts', async () => (await settings()).impacts === 'simultaneous');
  await page.getByRole('button', { name: 'Undo: impacts' }).click();
  await until('impacts as they were', async () => (await settings()).impacts === 'propagating');
  await page.getByLabel('Recovery up to').fill('2');
  await page.getByLabel('Recovery up to').press('Enter');
  await until('a limit', async () => (await settings()).recovery_speed === 2);
  await page.getByLabel('Recovery up to').fill('');
  await page.getByLabel('Recovery up to').press('Enter');
  await until('no limit', async () => (await settings()).recovery_speed === null);
  await page.getByLabel('Start from the last impulses').uncheck();
  await until('a cold start', async () => (await settings()).warm_start === false);
  await page.getByLabel('Impacts').selectOption('propagating');
  await until('impacts again', async () => (await settings()).impacts === 'propagating');
  await page.getByLabel('Speed limit').scrollIntoViewIfNeeded();
  await picture('settings');
}

async function showsARecordingWhole() {
  await server.stop();
  const values = recorded();
  server = await startTalus(build, ['view', result, '--port', '0', '--no-browser']);
  await opens(server.url);
  assert.ok(values['load.along'].length === 3320);
  // the peak that the page showed while it ran is the one of the file
  const peak = Math.max(...values['load.along']);
  assert.deepEqual(live.channels[4].range, [Math.min(...values['load.along']), peak]);
  assert.equal(Math.max(...live.channels[4].greatest), peak);
  await page.locator('#canvas').focus();
  await page.keyboard.press('p');
  for (const name of ['load', 'height']) await tick(name);
  await until('the whole series', async () => (await monitor('height'))?.steps.at(-1) === 3320);
  const shown = (await monitor('load')).channels[4];
  assert.deepEqual(shown.range, [Math.min(...values['load.along']), peak]);
  assert.ok(shown.greatest.includes(peak), 'it is among the points');
  const edits = await page.evaluate(() => window.talusView.state().can.edit);
  assert.equal(edits, false);
}

async function marksTheFrameShown() {
  const canvas = plot('height').locator('canvas');
  /** Columns of the plot that are dark from top to bottom: the line at the time on screen. */
  const marks = () =>
    canvas.evaluate((c) => {
      const { width, height } = c,
        copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true }),
        out = [];
      copy.drawImage(c, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      for (let x = 0; x < width; x++) {
        let dark = 0;
        for (let y = 0; y < height; y++) {
          const at = 4 * (y * width + x);
          if (data[at + 3] > 200 && data[at] < 150 && Math.abs(data[at] - data[at + 2]) < 60) dark++;
        }
        if (dark > 0.6 * height) out.push(x / width);
      }
      return out;
    });
  const at = [];
  for (const time of [0.5, 2.5]) {
    await page.evaluate((t) => window.talusView.seek(t), time);
    await until(`a mark for ${time} s`, async () => {
      const [x] = await marks();
      if (x === undefined || (at.length && Math.abs(x - at[0]) < 0.2)) return false;
      at.push(x);
      return true;
    });
  }
  assert.ok(at[1] > at[0], `${at}`);
  await picture('monitors-recording');
}

async function followsARestart() {
  await server.stop();
  server = await startTalus(build, ['view', file, '--port', '0', '--no-browser', '--paused', '--free']);
  await opens(server.url);
  await page.locator('#canvas').focus();
  await page.keyboard.press('p');
  for (const name of ['load', 'height']) await tick(name);
  await step(50);
  await until('both', async () => (await monitor('height'))?.steps.length === 50);
  const { height, load } = SCENE.monitors;
  writeFileSync(file, JSON.stringify({ ...SCENE, monitors: { lift: load, height } })); // in another order, one gone
  await page.locator('#canvas').focus();
  await page.keyboard.press('r');
  await until('the run to start anew', async () => (await state()).epoch === 2 && (await state()).bodies > 1);
  await until('one plot', async () => (await page.locator('.plot[data-plot^="monitor"]').count()) === 1);
  await step(20);
  await until('its steps from the start', async () => (await monitor('height'))?.steps.length === 20);
  assert.deepEqual(
    await page.evaluate(() => window.talusView.monitors().map((m) => [m.name, m.plotted])),
    [
      ['lift', false],
      ['height', true],
    ],
  );
  const [ball] = await page.evaluate(() => [window.talusView.monitor('height').channels[2].last.at(-1)]),
    said = (await ask({ do: 'pick', body: 2 })).body.position[2];
  assert.equal(ball, said, 'it is of the right monitor');
  await server.stop(); // a lost connection is opened again, with its plots
  server = await startTalus(build, [
    ...['view', file, '--port', new URL(server.url).port, '--no-browser', '--paused', '--no-token'],
  ]);
  // 20 steps are the old run's, which the page may not know to be lost yet
  await until('the new run', async () => ((s) => s.connection === 'open' && s.steps === 0)(await state()), 90);
  await step(5);
  await until('steps of the new run', async () => (await monitor('height'))?.steps.length === 5);
}

async function opensTheRun() {
  await opens(server.url);
}

await runParts([
  opensTheRun,
  listsMonitorsToTick,
  showsLegendAndRange,
  savesNumbers,
  untickedIsGone,
  changesHowImpactsShareAStep,
  showsARecordingWhole,
  marksTheFrameShown,
  followsARestart,
], {
  complaints,
  state,
  picture,
  clean: async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  },
});
