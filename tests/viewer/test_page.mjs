// The page in a real browser before the real program, live: bodies are where the library says, control and
// edits have their effect, and a lost connection comes back.
//   node test_page.mjs BUILD SOURCE       (TALUS_PICTURES=folder keeps screenshots)
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath, openBrowser, program, runParts, sharp, startTalus, until } from './browser.mjs';
import { writeScene } from './page_scene.mjs';

const [build, source] = process.argv.slice(2);
program(build);
chromiumPath();
const { folder, file } = writeScene();
const browser = await openBrowser(build, source),
  { page, complaints } = browser;
// without a token: the program that comes back later in its place would have another one
let server = await startTalus(build, ['view', file, '--port', '0', '--no-browser', '--no-token']);

const state = () => page.evaluate(() => window.talusView.state());
const body = (index) => page.evaluate((i) => window.talusView.body(i), index);
const ask = (command) => page.evaluate((c) => window.talusView.send(c), command);
const named = async (name) => (await ask({ do: 'find', name })).index;
const settled = () => page.evaluate(() => window.talusView.drawn());
const until_ = (what, check, seconds) => until(what, async () => check(await state()), seconds);

async function picture(name) {
  if (process.env.TALUS_PICTURES)
    await page.screenshot({ path: join(process.env.TALUS_PICTURES, `${name}.png`) });
}

/** Makes sure that it runs, or that it does not. */
async function running(on) {
  if ((await state()).running !== on) await page.keyboard.press('a');
  await until_(on ? 'it to run' : 'it to stop', (s) => s.running === on);
  if (!on) {
    // the last state has arrived when nothing newer follows
    let steps = -1;
    await until('the last state', async () => {
      const s = (await state()).steps,
        same = s === steps;
      steps = s;
      await page.waitForTimeout(150);
      return same;
    });
  }
  await settled();
}

/** Where a body is on the page, in pixels. */
async function onPage(index) {
  const box = await page.locator('#canvas').boundingBox(),
    p = await page.evaluate((i) => window.talusView.project(i), index);
  return { x: box.x + p.x, y: box.y + p.y, radius: p.radius, visible: p.visible };
}

/** Colours of the screen, as a person sees them. */
async function colours(points) {
  const shot = await page.screenshot();
  return page.evaluate(
    async ({ data, places }) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)),
        image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height),
        c = canvas.getContext('2d', { willReadFrequently: true });
      c.drawImage(image, 0, 0);
      return places.map(([x, y]) => [...c.getImageData(Math.round(x), Math.round(y), 1, 1).data.slice(0, 3)]);
    },
    { data: shot.toString('base64'), places: points },
  );
}
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

async function opens() {
  await page.goto(server.url);
  await page.waitForFunction(() => window.talusView?.state().bodies > 0);
  const s = await state();
  assert.equal(s.kind, 'live');
  assert.equal(s.title, 'A page test');
  assert.match(await page.title(), /A page test/);
  assert.equal(await page.locator('#connection').textContent(), 'connected');
  await running(false);
}

async function seesBodiesWhereTheLibrarySaysTheyAre() {
  const indices = await page.evaluate(() => window.talusView.indices()),
    s = await state();
  assert.equal(indices.length, s.bodies);
  assert.ok(indices.length > 200 && indices.length < 2000, `${indices.length} bodies`);
  for (const index of indices.filter((_, k) => k % 17 === 0 || k < 5)) {
    const shown = await body(index),
      said = (await ask({ do: 'pick', body: index })).body;
    assert.equal(shown.kind, said.kind);
    said.position.forEach((x, k) =>
      assert.ok(
        Math.abs(x - shown.position[k]) < 2e-4,
        `body ${index}: ${shown.position} is not ${said.position}`,
      ),
    );
    const dot = Math.abs(said.orientation.reduce((sum, q, k) => sum + q * shown.orientation[k], 0));
    assert.ok(dot > Math.cos((0.3 * Math.PI) / 360), `body ${index}: turned otherwise`);
  }
}

async function drawsThemThere() {
  const big = await named('big'),
    at = await onPage(big);
  assert.ok(at.visible && at.radius > 8, JSON.stringify(at));
  const points = [
    [at.x, at.y],
    [at.x - 0.6 * at.radius, at.y],
    [at.x, at.y + 0.6 * at.radius],
    [at.x + 1.5 * at.radius, at.y],
    [at.x, at.y - 1.4 * at.radius],
  ];
  await sharp(page);
  const before = await colours(points);
  await page.mouse.click(at.x, at.y);
  await until_('the ball to be picked', (s) => s.picked === big);
  await sharp(page);
  const after = await colours(points);
  for (const k of [0, 1, 2])
    assert.ok(distance(before[k], after[k]) > 40, `inside, ${k}: ${before[k]} and ${after[k]}`);
  for (const k of [3, 4])
    assert.ok(distance(before[k], after[k]) < 12, `outside, ${k}: ${before[k]} and ${after[k]}`);
  await until('its facts', async () => /16\.76 kg/.test(await page.locator('#body-facts').textContent()));
  assert.equal(await page.locator('#body-name').textContent(), 'big');
  assert.match(await page.locator('.contacts').textContent(), /floor/);
  // A ball that is not its body's origin: both ends of the dumbbell, and nothing between them but air.
  const dumbbell = await named('dumbbell'),
    ends = await onPage(dumbbell);
  await page.mouse.click(ends.x - ends.radius * 0.5, ends.y);
  await page.waitForTimeout(100);
  const first = (await state()).picked;
  await page.mouse.click(ends.x + ends.radius * 0.5, ends.y);
  await page.waitForTimeout(100);
  assert.ok([first, (await state()).picked].includes(dumbbell), 'one of its balls was hit');
  await page.keyboard.press('Escape');
  await until_('nothing to be picked', (s) => s.picked === null);
}

async function pausesAndSteps() {
  const before = await state();
  await page.keyboard.press('s');
  await until_('one step', (s) => s.steps === before.steps + 1);
  await page.getByRole('button', { name: 'One step' }).click();
  await until_('another step', (s) => s.steps === before.steps + 2);
  await page.waitForTimeout(300);
  const after = await state();
  assert.equal(after.steps, before.steps + 2);
  assert.ok(Math.abs(after.time - before.time - 0.01) < 1e-9);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await until_('time to pass', (s) => s.steps > before.steps + 20);
  await page.keyboard.press('t');
  await until_('it to run freely', (s) => s.realTime === false);
  await page.keyboard.press('t');
  await running(false);
}

async function changesGravity() {
  const big = await named('big'),
    before = (await body(big)).position[2];
  await page.locator('#section-simulation > summary').click();
  await page.locator('#gravity-z').fill('6');
  await page.locator('#gravity-z').press('Enter');
  await until_('gravity to change', (s) => s.settings.gravity[2] === 6);
  await page.locator('#canvas').focus();
  await running(true);
  await until('the ball to rise', async () => (await body(big)).position[2] > before + 0.2);
  await page.locator('#keys-change').check();
  await page.locator('#canvas').focus();
  await page.keyboard.press('m');
  await until_('less gravity', (s) => Math.abs(s.settings.gravity[2] - 6 / 1.1) < 1e-3);
  await ask({ do: 'set', gravity: [0, 0, -9.81] });
  await until('the ball to come down', async () => (await body(big)).position[2] < before + 0.05);
  await running(false);
  for (const [name, value] of [
    ['solver', 'apgd'],
    ['solver', 'psor'],
  ]) {
    await page.locator(`#set-${name}`).selectOption(value);
    await until_(`${name} ${value}`, (s) => s.settings[name] === value);
  }
  assert.ok(await page.locator('#set-penalty_stiffness').isHidden()); // it is for another stepper
  await page.locator('#set-iterations').fill('21');
  await page.locator('#set-iterations').press('Enter');
  await until_('21 iterations', (s) => s.settings.iterations === 21);
  await page.locator('#canvas').focus();
  await page.keyboard.press('d');
  await until_('a wider envelope', (s) => s.settings.envelope > 0);
  const input = page.getByLabel('friction of glass', { exact: true });
  await page.locator('#section-materials > summary').click();
  assert.equal(await input.inputValue(), '0.3');
  await page.locator('#canvas').focus();
  await page.keyboard.press('h');
  await until('more friction', async () => (await input.inputValue()) === '0.35');
  await page.keyboard.press('u');
  await until('it to be taken back', async () => (await input.inputValue()) === '0.3');
  await page.locator('#undo').click();
  await until_('the envelope to be taken back', (s) => s.settings.envelope === 0);
  await page.keyboard.press('F1');
  assert.ok(await page.getByRole('heading', { name: 'Keys and pointer' }).isVisible());
  await page.keyboard.press('Escape');
  const asks = page.getByRole('heading', { name: 'End this run?' });
  assert.equal((await state()).picked, null);
  await page.keyboard.press('Escape'); // nothing is picked: it asks
  assert.ok(await asks.isVisible());
  await page.getByRole('button', { name: 'Go on' }).click();
  assert.ok(await asks.isHidden());
}

async function dragsPushesAndThrows() {
  const big = await named('big');
  // paused while it is looked for and grasped: a slow machine has time for that
  const { steps } = await state();
  await ask({ do: 'step', count: 400 });
  await until_('it to lie still', (s) => s.steps === steps + 400);
  await page.getByRole('button', { name: 'Fit', exact: true }).click(); // it may have rolled out of sight
  await settled();
  const before = (await body(big)).position,
    at = await onPage(big);
  await page.keyboard.down('Shift');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let k = 1; k <= 6; k++) await page.mouse.move(at.x, at.y - 20 * k);
  await ask({ do: 'start' });
  await until('the ball to be lifted', async () => (await body(big)).position[2] > before[2] + 0.1);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await until('the ball to fall', async () => (await body(big)).position[2] < before[2] + 0.05);
  await running(false);
  const rest = (await body(big)).position;
  await ask({ do: 'push', body: big, impulse: [0, 0, 60] });
  await ask({ do: 'step', count: 20 });
  await until('the push to be seen', async () => (await body(big)).position[2] > rest[2] + 0.05);
  const bodies = (await state()).bodies;
  await page.getByRole('radio', { name: 'Throw a ball' }).click();
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await until_('one more body', (s) => s.bodies === bodies + 1);
  await page.getByRole('radio', { name: 'Look and pick' }).click();
  await running(false);
}

async function showsMore() {
  const colour = page.getByLabel('Colour by');
  for (const key of ['speed', 'force', 'size', 'id', 'material']) {
    await colour.selectOption(key);
    await until_(`colours by ${key}`, (s) => s.colour === key);
    if (key === 'speed' || key === 'force') await until_('its legend', (s) => s.legend.field === key);
  }
  await page.getByLabel('Force chains').check();
  await page.getByLabel('Contact points').check();
  await until_('contacts', (s) => s.contacts > 100);
  await page.getByLabel('Velocity arrows').check();
  await settled();
  await page.getByLabel('Cut plane').selectOption('x');
  await page.getByLabel('Projection').selectOption('o');
  await settled();
  await picture('overlays');
  await page.getByLabel('Cut plane').selectOption('');
  await page.getByLabel('Projection').selectOption('p');
  for (const name of ['Force chains', 'Contact points', 'Velocity arrows'])
    await page.getByLabel(name).uncheck();
  for (const view of ['Front', 'Right', 'Top', 'Corner', 'Fit'])
    await page.getByRole('button', { name: view, exact: true }).click();
}

async function plots() {
  const big = await named('big');
  await page.evaluate((i) => window.talusView.pick(i), big);
  await page.getByRole('button', { name: 'Plot position' }).click();
  await page.locator('#add-plot').selectOption('energies');
  await running(true);
  await until('rows to plot', () => page.evaluate((i) => window.talusView.series(i, 'z').length > 5, big));
  await until('energies', () => page.evaluate(() => window.talusView.history('kinetic_energy').length > 5));
  await until('two plots', async () => (await page.locator('.plot canvas').count()) === 2);
  const z = await page.evaluate((i) => window.talusView.series(i, 'z'), big),
    now = (await body(big)).position[2];
  // It may still fly, and a busy machine lags.
  assert.ok(
    z.every((x) => x > 0.1 && x < 5) && Math.abs(z[z.length - 1] - now) < 2,
    `${z.slice(-3)} and ${now}`,
  );
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.plot[data-plot="energies"]').getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  assert.equal(lines[0], 'time,kinetic_energy,potential_energy,dissipated_energy');
  assert.ok(
    lines.length > 5 && lines.slice(1).every((l) => l.split(',').every((x) => Number.isFinite(Number(x)))),
  );
  const [png] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.plot[data-plot="energies"]').getByRole('button', { name: 'PNG' }).click(),
  ]);
  assert.equal(
    readFileSync(await png.path())
      .subarray(1, 4)
      .toString(),
    'PNG',
  );
  await running(false);
}

async function savesPicturesVideosAndLinks() {
  await page.locator('#section-share > summary').click();
  const [png] = await Promise.all([page.waitForEvent('download'), page.locator('#picture').click()]);
  const data = readFileSync(await png.path());
  assert.ok(data.subarray(1, 4).toString() === 'PNG' && data.length > 5000);
  await running(true);
  await page.locator('#record').click();
  await page.waitForTimeout(1200);
  const [video] = await Promise.all([page.waitForEvent('download'), page.locator('#record').click()]);
  assert.ok(readFileSync(await video.path()).length > 1000, 'a video with something in it');
  await page.locator('#canvas').focus();
  await running(false);
  await page.evaluate(() => {
    window.talusView.camera = { turn: 0.4, height: 0.7, distance: 3.5, target: [0.1, 0.2, 0.3] };
  });
  const link = await page.evaluate(() => window.talusView.link()),
    other = await browser.context.newPage();
  await other.goto(link);
  await other.waitForFunction(() => window.talusView?.state().bodies > 0);
  await other.evaluate(() => window.talusView.drawn());
  const camera = await other.evaluate(() => window.talusView.camera);
  assert.ok(
    Math.abs(camera.turn - 0.4) < 1e-6 &&
      Math.abs(camera.distance - 3.5) < 1e-5 &&
      Math.abs(camera.target[1] - 0.2) < 1e-6,
    JSON.stringify(camera),
  );
  await until_('two viewers', (s) => s.viewers === 2);
  await other.close();
}

async function comesBack() {
  const { port } = new URL(server.url);
  await server.stop('SIGKILL');
  await until('the loss to show', async () =>
    /lost|connecting/.test(await page.locator('#connection').textContent()),
  );
  assert.ok(await page.locator('#play').isDisabled());
  server = await startTalus(build, ['view', file, '--port', port, '--no-browser', '--no-token']);
  await until(
    'it to come back',
    async () => (await page.locator('#connection').textContent()) === 'connected',
    30,
  );
  const camera = await page.evaluate(() => window.talusView.camera);
  assert.ok(Math.abs(camera.distance - 3.5) < 1e-5, 'the camera stays where it was');
  await running(true);
  const { steps } = await state();
  await until_('new frames', (s) => s.steps > steps);
  await running(false);
  await page.keyboard.press('r');
  await until_('a new start', (s) => s.epoch > 1 && s.steps === 0);
}

/** The address carries a token; the page hands it on, and nobody comes in without. */
async function passesTheTokenOn() {
  const guarded = await startTalus(build, [
      'view',
      file,
      '--port',
      '0',
      '--no-browser',
      '--paused',
    ]),
    other = await browser.context.newPage();
  assert.match(guarded.url, /\?token=[0-9a-f]{32}/);
  await other.goto(guarded.url);
  await other.waitForFunction(() => window.talusView?.state().bodies > 0);
  assert.match(await other.evaluate(() => window.talusView.link()), /\?token=[0-9a-f]{32}#cam=/);
  assert.equal((await other.goto(guarded.url.replace(/\?.*/, ''), { waitUntil: 'commit' })).status(), 403);
  await other.close();
  await guarded.stop();
}

/** Nothing sticks out of the page, everything can be reached, in both sizes and schemes. */
async function looksRight() {
  for (const [size, viewport] of [
    ['desktop', { width: 1280, height: 720 }],
    ['phone', { width: 390, height: 844 }],
  ])
    for (const colorScheme of ['dark', 'light']) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await sharp(page);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
        `${size} ${colorScheme}: too wide`,
      );
      for (const id of ['play', 'step', 'restart', 'open-panel', 'open-plots', 'open-help']) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(
          box &&
            box.x >= 0 &&
            box.x + box.width <= viewport.width &&
            box.y >= 0 &&
            box.y + box.height <= viewport.height,
          `${size}: ${id} is outside`,
        );
      }
      await picture(`${size}-${colorScheme}`);
    }
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
      .map((e) => e.outerHTML.slice(0, 100)),
  );
  assert.deepEqual(nameless, []);
}

await runParts([
  opens,
  seesBodiesWhereTheLibrarySaysTheyAre,
  drawsThemThere,
  pausesAndSteps,
  changesGravity,
  dragsPushesAndThrows,
  showsMore,
  plots,
  savesPicturesVideosAndLinks,
  comesBack,
  passesTheTokenOn,
  looksRight,
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
