// The page before solids of every kind, on fixed and on dynamic bodies: each is drawn as large as it is, is
// found by a click, is coloured, cut and made transparent like anything else.
//   node test_page_shapes.mjs BUILD SOURCE       (TALUS_PICTURES=folder keeps screenshots)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, openBrowser, program, runParts, sharp, startTalus, until } from './browser.mjs';

const [build, source] = process.argv.slice(2);
const talus = program(build);
chromiumPath();
const folder = mkdtempSync(join(tmpdir(), 'talus-shapes-')),
  result = join(folder, 'shapes.h5');
const made = spawnSync('/usr/bin/python3', [join(source, 'tests/viewer/make_shapes.py'), talus, result], {
  encoding: 'utf8',
});
assert.equal(made.status, 0, made.stderr);
const names = JSON.parse(made.stdout);
const GLASS = [217, 160, 102]; // its colour in the legend

const browser = await openBrowser(build, source),
  { page, complaints } = browser;
const server = await startTalus(build, ['view', result, '--port', '0', '--no-browser']);
const state = () => page.evaluate(() => window.talusView.state());
const call = (code, argument) => page.evaluate(code, argument);
const project = (index) => call((i) => window.talusView.project(i), index);
async function picture(name) {
  if (process.env.TALUS_PICTURES)
    await page.screenshot({ path: join(process.env.TALUS_PICTURES, `${name}.png`) });
}

/** How many pixels of the canvas differ from those of the first call. */
async function changed() {
  const alone = 'body * { visibility: hidden !important } #canvas { visibility: visible !important }';
  const shot = await page.locator('#canvas').screenshot({ style: alone });
  return call(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0)),
      image = await createImageBitmap(new Blob([bytes], { type: 'image/png' })),
      c = new OffscreenCanvas(image.width, image.height).getContext('2d');
    c.drawImage(image, 0, 0);
    const all = c.getImageData(0, 0, image.width, image.height).data,
      last = (window.firstPicture ??= all);
    let count = 0;
    for (let i = 0; i < all.length; i += 4)
      if ([0, 1, 2].reduce((sum, k) => sum + Math.abs(all[i + k] - last[i + k]), 0) > 2) count++;
    return count;
  }, shot.toString('base64'));
}

async function select(label, value) {
  await page.getByLabel(label).selectOption(value);
  await sharp(page);
}

async function opens() {
  await page.goto(server.url);
  await page.waitForFunction(() => window.talusView?.state().bodies === 24);
  await sharp(page);
  await picture('shapes');
  await page.mouse.move(500, 690); // no tooltip, no highlight
  await call(() => {
    window.talusView.camera = {
      target: [0, 0, 0],
      height: Math.PI / 2,
      turn: -Math.PI / 2,
      distance: 12,
      orthographic: true,
    };
  });
  await sharp(page);
  await picture('shapes-top');
}

/** What is highlighted when a body is picked is the body, and as large as the formula for its shadow says. */
async function drawsEachAsLargeAsItIs() {
  const a = await project(names.sphere),
    b = await project(names.box); // 1.5 m apart
  const scale = 1.5 / Math.hypot(a.x - b.x, a.y - b.y),
    o = 0.45,
    r = 0.12;
  const areas = {
    sphere: Math.PI * 0.16,
    box: 0.6,
    'rounded box': 0.6 - (4 - Math.PI) * r * r,
    capsule: Math.PI * 0.0625,
    cylinder: Math.PI * 0.1225,
    'rounded cylinder': Math.PI * 0.16,
    cone: Math.PI * 0.16,
    ellipsoid: Math.PI * 0.55 * 0.3,
    hull: 2 * o * o,
    'rounded hull': 2 * o * o + 4 * Math.SQRT2 * o * r + Math.PI * r * r,
  };
  await call(() => window.talusView.seek(0));
  await call(() => window.talusView.pick(null));
  await sharp(page);
  await call(() => {
    window.firstPicture = null;
  });
  await changed();
  for (const [name, index] of Object.entries(names)) {
    await call((i) => window.talusView.pick(i), index);
    let pixels = 0;
    // A busy machine draws coarse pictures now and then: a sharp one counts.
    const right = () =>
      areas[name] ? Math.abs((pixels * scale * scale) / areas[name] - 1) < 0.06 : pixels > 200;
    await until(`${name} to be as large as it is`, async () => {
      await sharp(page);
      pixels = await changed();
      return right();
    }, 20).catch((error) => {
      throw new Error(`${error.message}: ${pixels} pixels of ${scale} m`);
    });
  }
  await call(() => window.talusView.pick(null));
}

async function isFoundByAClick() {
  const canvas = await page.locator('#canvas').boundingBox();
  for (const [name, index] of Object.entries(names)) {
    const at = await project(index),
      off = { parallelogram: 25, mesh: 20 }[name] ?? 0; // their origins are a corner, and in the opening
    if (name === 'heights') continue;
    await page.mouse.click(canvas.x + at.x + off, canvas.y + at.y - (name === 'parallelogram' ? 8 : 0));
    await until(`${name} to be picked`, async () => (await state()).picked === index, 10);
  }
  await page.mouse.click(canvas.x + (await project(names.sphere)).x, canvas.y + canvas.height / 2 + 5);
  assert.equal((await state()).picked, names.heights, 'the ground between them');
}

async function tellsTheirSizes() {
  const shape = async (name) =>
    (await call((c) => window.talusView.send(c), { do: 'pick', body: names[name] })).body.shapes[0];
  const { kind, radius, half_length: half, rounding } = await shape('rounded cylinder');
  assert.deepEqual([kind, radius, half, rounding], ['cylinder', 0.4, 0.3, 0.12]);
  const hull = await shape('rounded hull');
  assert.deepEqual([hull.kind, hull.geometry, hull.rounding], ['hull', 1, 0.12]);
  assert.ok(hull.triangles > 8);
  assert.deepEqual([(await shape('sensor')).sensor, (await shape('box')).sensor], [true, undefined]);
  assert.deepEqual((await shape('ellipsoid')).half_extents, [0.55, 0.3, 0.2]);
  assert.deepEqual([(await shape('heights')).kind, (await shape('heights')).triangles], ['heights', 1152]);
}

async function coloursThem() {
  const centre = async () => {
    const at = await project(names.box);
    return call(([x, y]) => window.talusView.pixel(x, y), [at.x, at.y]);
  };
  await call(() => window.talusView.pick(null));
  await sharp(page);
  const seen = [];
  for (const by of ['material', 'speed', 'size', 'id']) {
    await select('Colour by', by);
    await until('another colour', async () => !seen.includes(String(await centre())), 10);
    seen.push(String(await centre()));
    await picture(`shapes-${by}`);
  }
  await select('Colour by', 'size');
  // sizes from that of the sphere to that of the box
  assert.deepEqual(await page.locator('#legend .ends span').allTextContents(), ['0.4', '0.6164']);
  await select('Colour by', 'material');
}

/** What is above the middle is cut away: the inside shows, flat, in the material's own colour. */
async function cutsThem() {
  await select('Cut plane', 'z');
  await sharp(page);
  await picture('shapes-cut');
  const at = await project(names.capsule),
    colour = await call(([x, y]) => window.talusView.pixel(x, y), [at.x, at.y]);
  // its upper half and lid are gone; what is seen is the inside of the lower cap
  GLASS.forEach((v, k) => assert.ok(Math.abs(v - colour[k]) < 5, `${colour}, not ${GLASS}`));
  await select('Cut plane', '');
}

/** Walls are seen through or solid, and so are the sensors of dynamic bodies. */
async function makesWallsSolid() {
  const looks = async () => {
    const seen = {};
    for (const name of ['fixed rounded box', 'sensor', 'rounded box']) {
      const at = await project(names[name]);
      seen[name] = await call(([x, y]) => window.talusView.pixel(x, y), [at.x, at.y]);
    }
    return seen;
  };
  const before = await looks();
  await page.getByLabel('Walls').fill('1');
  await sharp(page);
  await picture('shapes-solid');
  const after = await looks();
  const differs = (name) => after[name].some((v, k) => Math.abs(v - before[name][k]) > 1);
  assert.ok(differs('fixed rounded box') && differs('sensor'), JSON.stringify([before, after]));
  assert.ok(!differs('rounded box'), 'bodies are solid either way');
}

await runParts(
  [opens, drawsEachAsLargeAsItIs, isFoundByAClick, tellsTheirSizes, coloursThem, cutsThem, makesWallsSolid],
  {
    complaints,
    state,
    picture,
    clean: async () => {
      await server.stop();
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
