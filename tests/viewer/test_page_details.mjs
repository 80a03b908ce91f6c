// What the page says and draws in detail: the cut plane, fit, legends, the ground, numbers that are missing.
//   node test_page_details.mjs BUILD SOURCE       (TALUS_PICTURES=folder keeps screenshots)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, openBrowser, program, runParts, sharp, startTalus, until } from './browser.mjs';

const [build, source] = process.argv.slice(2);
const talus = program(build);
chromiumPath();
const TITLE = 'Balls in a tray that stands on nothing';
const box = (position, size) => ({ kind: 'box', position, size, material: 'steel' });
const SCENE = {
  version: 1,
  title: TITLE,
  step: 0.005,
  duration: 60,
  record: { rate: 20 },
  materials: { glass: { friction: 0.3, restitution: 0.2 }, steel: { friction: 0.6 }, unused: {} },
  pairs: [{ materials: ['glass', 'steel'], friction: 0.9, restitution: 0.05 }],
  bodies: [
    {
      name: 'tray',
      kind: 'fixed',
      shapes: [
        box([0, 0, -0.05], [1.2, 1.2, 0.1]),
        ...[0.55, -0.55].flatMap((at) => [
          box([at, 0, 0.3], [0.1, 1.2, 0.6]),
          box([0, at, 0.3], [1, 0.1, 0.6]),
        ]),
      ],
    },
  ],
  fills: [
    {
      region: { kind: 'box', low: [-0.45, -0.45, 0.06], high: [0.45, 0.45, 0.5] },
      radius: 0.05,
      jitter: 0.002,
      material: 'glass',
    },
  ],
};
const GLASS = [217, 160, 102]; // its colour in the legend
const folder = mkdtempSync(join(tmpdir(), 'talus-scene-')),
  file = join(folder, 'tray.json');
writeFileSync(file, JSON.stringify(SCENE));
const browser = await openBrowser(build, source, { colorScheme: 'light' }),
  { page, complaints } = browser;
let server = await startTalus(build, ['view', file, '--port', '0', '--no-browser', '--paused']);

const state = () => page.evaluate(() => window.talusView.state());
const ask = (command) => page.evaluate((c) => window.talusView.send(c), command);
const text = (selector) => page.locator(selector).textContent();
async function picture(name) {
  if (process.env.TALUS_PICTURES)
    await page.screenshot({ path: join(process.env.TALUS_PICTURES, `${name}.png`) });
}

/** How many pixels of the scene, of those at every third place, are as `check` says. */
async function pixels(check) {
  const shot = await page.locator('#canvas').screenshot();
  const { wide, samples } = await page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0)),
      image = await createImageBitmap(new Blob([bytes], { type: 'image/png' })),
      canvas = new OffscreenCanvas(image.width, image.height),
      c = canvas.getContext('2d');
    c.drawImage(image, 0, 0);
    const all = c.getImageData(0, 0, image.width, image.height).data;
    let out = ''; // bytes: lists of numbers take seconds
    for (let y = 0; y < image.height; y += 3)
      for (let x = 0; x < image.width; x += 3) {
        const at = 4 * (y * image.width + x);
        out += String.fromCharCode(all[at], all[at + 1], all[at + 2]);
      }
    return { wide: Math.ceil(image.width / 3), samples: btoa(out) };
  }, shot.toString('base64'));
  const rgb = Buffer.from(samples, 'base64');
  let count = 0;
  for (let i = 0; i < rgb.length / 3; i++)
    if (check([...rgb.subarray(3 * i, 3 * i + 3)], 3 * (i % wide), 3 * Math.floor(i / wide))) count++;
  return count;
}
const isGlass = (rgb) => rgb.every((v, k) => Math.abs(v - GLASS[k]) <= 2);

async function opens(address) {
  await page.goto(address);
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  await page.evaluate(() => window.talusView.drawn());
}

async function showsTheWholeTitle() {
  const cut = await page.locator('#title').evaluate((e) => e.scrollWidth > e.clientWidth);
  assert.ok(!cut, 'there is room for it');
  assert.equal(await text('#title'), TITLE);
}

async function drawsNoGroundWhereThereIsNone() {
  await page.evaluate(() => {
    window.talusView.camera = { distance: 6 };
  });
  await sharp(page);
  // far from the tray there is nothing but the background: no lines, no edge, no shadow
  const outside = (rgb, x, y) => Math.hypot(x - 490, y - 340) > 330 && x > 60 && y < 560;
  const all = await pixels(outside),
    isPlain = (rgb) => [233, 237, 241].every((v, k) => Math.abs(v - rgb[k]) < 3),
    plain = await pixels((rgb, x, y) => outside(rgb, x, y) && isPlain(rgb));
  await picture('no-ground');
  assert.ok(all > 3000 && plain === all, `${all - plain} of ${all} pixels`);
}

async function fitsEverything() {
  await page.locator('#canvas').focus();
  await page.keyboard.press('0');
  await sharp(page);
  const near = (await page.evaluate(() => window.talusView.camera)).distance;
  const spans = () =>
    page.evaluate(() => {
      const canvas = document.getElementById('canvas');
      return window.talusView
        .indices()
        .map((i) => window.talusView.project(i))
        .every(
          ({ visible: v, x, y }) => v && x > 0 && y > 0 && x < canvas.clientWidth && y < canvas.clientHeight,
        );
    });
  assert.ok(await spans(), 'all bodies');
  assert.ok(near < 4, `no farther than it needs: ${near}`);
  const { index } = await ask({ do: 'throw', position: [9, 3, 2], velocity: [0, 0, 0], radius: 0.05 });
  await until('the ball', () => page.evaluate((i) => window.talusView.body(i) !== null, index));
  await page.keyboard.press('0');
  await sharp(page);
  assert.ok(await spans(), 'also the one that is far off');
  const far = (await page.evaluate(() => window.talusView.camera)).distance;
  assert.ok(far > 2 * near);
  await page.keyboard.press('r');
  await until('a restart', async () => (await state()).epoch === 2 && (await state()).bodies > 1);
  await sharp(page);
  const again = (await page.evaluate(() => window.talusView.camera)).distance;
  assert.ok(Math.abs(again - near) < 0.01 * near, `a restart frames the bodies again: ${again} and ${near}`);
}

async function cutsTheNearHalfAway() {
  const shaded = await pixels(isGlass); // few places of a ball happen to have that colour
  for (const axis of ['x', 'y', 'eye']) {
    await page.getByLabel('Cut plane').selectOption(axis);
    await sharp(page);
    await picture(`cut-${axis}`);
    const flat = await pixels(isGlass);
    assert.ok(flat > shaded + 500, `${axis}: caps in the legend's colour (${flat} pixels, ${shaded} before)`);
  }
  await page.getByLabel('Cut plane').selectOption('y');
  await sharp(page);
  const number = async (name) => {
    const id = await page.getByLabel(name, { exact: true }).getAttribute('id');
    return text(`.slider:has(#${id}) output`);
  };
  assert.match(await number('Position'), / m$/);
  // what is picked lies behind the plane, as seen from here
  const { turn } = await page.evaluate(() => window.talusView.camera);
  assert.ok(Math.sin(turn) < 0, 'looked at from in front');
  const canvas = await page.locator('#canvas').boundingBox();
  await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  await until('a body to be picked', async () => (await state()).picked !== null);
  const { picked } = await state();
  const at = await page.evaluate((i) => window.talusView.body(i), picked);
  assert.ok(at.kind === 'fixed' || at.position[1] > -0.051, `${at.position}`);
  await page.keyboard.press('Escape');
  await page.getByLabel('Cut plane').selectOption('');
  for (const name of ['Ball size', 'Walls']) {
    await page.getByLabel(name).fill('0.5');
    assert.equal(await number(name), '50 %');
  }
  await page.getByLabel('Ball size').fill('1');
}

async function legendsSayWhatIsThere() {
  assert.deepEqual(await page.locator('#legend li').allTextContents(), ['glass']);
  await page.evaluate(() => window.talusView.send({ do: 'step', count: 200 }));
  await page.getByLabel('Force chains').check();
  await until('forces in newtons', async () => /red from [\d.e-]+ N/.test(await text('#legend')));
  await page.getByLabel('Force chains').uncheck();
}

async function spacePlaysAfterAClick() {
  await page.locator('#step').click();
  await page.keyboard.press(' ');
  await until('it to run', async () => (await state()).running);
  const { steps } = await state();
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await page.keyboard.press(' ');
  await until('it to stop', async () => !(await state()).running);
  assert.ok((await state()).steps >= steps);
  await page.getByLabel('Contact points').click();
  await page.keyboard.press(' ');
  await until('it to run again', async () => (await state()).running);
  assert.ok(await page.getByLabel('Contact points').isChecked());
  await page.keyboard.press(' ');
  await until('it to stop again', async () => !(await state()).running);
  await page.getByLabel('Contact points').uncheck();
  // by the keyboard a button is pressed as ever
  await page.locator('#step').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  const before = (await state()).steps;
  await page.keyboard.press(' ');
  await until('a step', async () => (await state()).steps === before + 1);
}

async function keysChangePhysicsWhenToldTo() {
  const pair = async () => (await state()).pairs?.find((p) => p.a === 1 && p.b === 2);
  assert.deepEqual(await pair(), { a: 1, b: 2, friction: 0.9, restitution: 0.05 }); // as the scene says
  await page.locator('#canvas').focus();
  for (const key of ['h', 'x', 'j']) await page.keyboard.press(key);
  await until('a word about it', async () => /Keys change physics/.test(await text('#toasts')));
  assert.deepEqual(await pair(), { a: 1, b: 2, friction: 0.9, restitution: 0.05 });
  assert.deepEqual((await state()).settings.gravity, [0, 0, -9.81]);
  await page.locator('#section-simulation > summary').click();
  await page.getByLabel('Keys change physics').check();
  await page.keyboard.press('h');
  await until('friction', async () => Math.abs((await pair()).friction - 0.95) < 1e-9);
  assert.equal((await pair()).restitution, 0.05);
  await page.locator('#section-materials > summary').click();
  assert.equal(await page.getByLabel('friction of glass – steel').inputValue(), '0.95');
  const other = await browser.context.newPage(); // one who comes later sees what holds now
  await other.goto(server.url);
  await other.waitForFunction(() => window.talusView?.state().pairs?.length > 0);
  assert.ok((await other.evaluate(() => window.talusView.state().pairs)).some((p) => p.friction === 0.95));
  await other.close();
  await page.getByRole('button', { name: /Undo: friction/ }).click();
  await until('friction as it was', async () => (await pair()).friction === 0.9);
}

async function plotsTheForceOnAFixedBody() {
  const { index } = await ask({ do: 'find', name: 'tray' });
  await page.evaluate((i) => window.talusView.pick(i), index);
  await page.getByRole('button', { name: 'Plot force' }).click();
  for (let k = 0; k < 3; k++) {
    await ask({ do: 'step', count: 5 });
    await page.waitForTimeout(200);
  }
  await until('the weight of the balls', () =>
    page.evaluate((i) => window.talusView.series(i, 'fz').some((f) => f < -100), index),
  );
  assert.ok(await page.locator('.plot[data-plot^="force"] .note').isHidden());
  await page.keyboard.press('Escape');
}

async function saysThatContactsWereNotRecorded() {
  await page.evaluate(() => window.talusView.pick(2));
  await until('its facts', async () => /Contactsnot recorded/.test(await text('#body-facts')));
  await page.getByRole('button', { name: 'Plot force' }).click();
  await until('a word at the plot', () => page.locator('.plot[data-plot^="force"] .note').isVisible());
  await page.getByLabel('Colour by').selectOption('force');
  await until('a word in the legend', async () => /not recorded/.test(await text('#legend')));
  await page.getByLabel('Colour by').selectOption('material');
}

async function followsASeekWhilePaused() {
  await page.evaluate(() => window.talusView.seek(0));
  const at = async (time) =>
    until(`the panel to be of ${time} s`, async () =>
      (await text('#body-facts')).includes(`At${time} s`),
    );
  await at(0);
  for (const time of [0.5, 1, 0.5, 0.25, 1, 0, 0.25]) {
    // also to frames that the page holds already
    await page.evaluate((t) => window.talusView.seek(t), time);
    await at(time);
  }
}

async function opensTheRun() {
  await opens(server.url);
}

async function opensTheRecording() {
  await server.stop();
  const result = join(folder, 'run.h5'),
    run = spawnSync(talus, ['run', file, '--set', 'duration=1', '-o', result, '--quiet']);
  assert.equal(run.status, 0, String(run.stderr));
  server = await startTalus(build, ['view', result, '--port', '0', '--no-browser']);
  await opens(server.url);
}

await runParts([
  opensTheRun,
  showsTheWholeTitle,
  drawsNoGroundWhereThereIsNone,
  fitsEverything,
  cutsTheNearHalfAway,
  legendsSayWhatIsThere,
  spacePlaysAfterAClick,
  keysChangePhysicsWhenToldTo,
  plotsTheForceOnAFixedBody,
  opensTheRecording,
  saysThatContactsWereNotRecorded,
  followsASeekWhilePaused,
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
