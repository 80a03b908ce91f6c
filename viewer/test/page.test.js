// The parts of the page that need no browser: time, the model, the player, links, numbers, keys.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { locate, advance, nlerp, liveMix } from '../src/interpolate.js';
import { Model } from '../src/model.js';
import { Player } from '../src/player.js';
import { readHash, writeHash } from '../src/hash.js';
import { History, Measures, csv } from '../src/history.js';
import { Materials } from '../src/materials.js';
import { roundUp, format } from '../src/colours.js';
import { pickBody } from '../src/pick.js';
import { actionOf, runAction, ACTIONS } from '../src/actions.js';
import { Connection } from '../src/connection.js';
import { decode } from '../src/protocol.js';
import { encodeBodies, encodeFrame, encodeGeometry, encodeTimes } from '../mock/encode.js';
import { instanceOf, meshKey, meshOf, sizeOf, vertexOf } from '../src/shapes.js';

const near = (a, b, by = 1e-9) => assert.ok(Math.abs(a - b) <= by, `${a} is not within ${by} of ${b}`);

test('locating a time, also between frames of uneven spacing', () => {
  const times = [0, 1, 1.5, 4];
  assert.deepEqual(locate(times, -3), { index: 0, mix: 0 });
  assert.deepEqual(locate(times, 1), { index: 1, mix: 0 });
  assert.deepEqual(locate(times, 1.25), { index: 1, mix: 0.5 });
  assert.deepEqual(locate(times, 2.125), { index: 2, mix: 0.25 });
  assert.deepEqual(locate(times, 9), { index: 3, mix: 0 });
  assert.deepEqual(locate([], 1), { index: -1, mix: 0 });
});

test('time passes, ends, and goes around', () => {
  assert.deepEqual(advance(1, 0.5, 2, false, 0, 10), { time: 2, ended: false });
  assert.deepEqual(advance(9.8, 0.5, 1, false, 0, 10), { time: 10, ended: true });
  assert.deepEqual(advance(0.2, 0.5, -1, false, 0, 10), { time: 0, ended: true });
  near(advance(9.8, 0.5, 1, true, 0, 10).time, 0.3);
  near(advance(2.1, 0.5, -1, true, 2, 10).time, 9.6);
  assert.deepEqual(advance(3, 0.5, 1, true, 3, 3), { time: 3, ended: true });
});

test('orientations turn the short way and stay of unit length', () => {
  const a = [0, 0, 0, 1],
    b = [0, 0, Math.sin(0.3), Math.cos(0.3)].map((x) => -x),
    out = [0, 0, 0, 0];
  nlerp(a, b, 0, 0.5, out);
  near(Math.hypot(...out), 1);
  near(2 * Math.atan2(out[2], out[3]), 0.3, 1e-9);
});

test('live pictures arrive when the next frame is due', () => {
  assert.equal(liveMix(0, 50), 0);
  assert.equal(liveMix(25, 50), 0.5);
  assert.equal(liveMix(80, 50), 1);
  assert.equal(liveMix(250, 5000), 1); // slow frames are not waited for
});

function modelWith(kind) {
  const model = new Model();
  model.reset({ kind, epoch: 1, bodies: 2 });
  model.addBodies(
    decode(
      encodeBodies(
        1,
        [
          { index: 1, kind: 0, mass: 1, radius: 0.5 },
          { index: 2, kind: 0, mass: 1, radius: 0.5 },
        ],
        [
          { body: 1, material: 0, position: [0, 0, 0], radius: 0.5 },
          { body: 2, material: 1, position: [0, 0, 1], radius: 0.5 },
        ],
        [],
      ),
    ),
  );
  return model;
}
const frameAt = (sequence, x, full = true, rows = [1, 2]) =>
  decode(
    encodeFrame(
      1,
      {
        time: sequence / 10,
        steps: sequence,
        sequence,
        base: sequence - 1,
        bodies: 2,
        origin: [0, 0, 0],
        quantum: 1e-4,
      },
      rows.map((index) => ({ index, position: [x + 10 * index, 0, 0], turn: [1, 0, 0, 0] })),
      [],
      [],
      full,
    ),
  );

test('the model mixes the last two frames of a live run', () => {
  const model = modelWith('live'),
    at = [0, 0, 0];
  model.addFrame(frameAt(1, 0), '');
  model.addFrame(frameAt(2, 1), '');
  model.show(model.from, model.to, 0.25);
  assert.ok(model.positionOf(2, at));
  near(at[0], 20.25, 1e-4);
  near(model.time, 0.125, 1e-9);
  model.addFrame(frameAt(3, 4, false, [1]), '');
  model.show(model.from, model.to, 1);
  model.positionOf(1, at);
  near(at[0], 14, 1e-4);
  model.positionOf(2, at);
  near(at[0], 21, 1e-4); // did not move
  assert.equal(model.addFrame(frameAt(9, 0, false), ''), null, 'a difference to a frame that is not here');
  assert.ok(model.frames.size <= 2 && !model.positionOf(7, at));
});

test('room grows when bodies are added', () => {
  const model = modelWith('live'),
    at = [0, 0, 0];
  model.addFrame(frameAt(1, 0), '');
  model.addBodies(
    decode(
      encodeBodies(
        1,
        [{ index: 5000, kind: 0, mass: 1, radius: 0.5 }],
        [{ body: 5000, material: 0, position: [0, 0, 0], radius: 0.5 }],
        [],
      ),
    ),
  );
  model.addFrame(frameAt(2, 0, false, [5000]), '');
  assert.ok(model.positionOf(5000, at) && model.positionOf(1, at) && model.capacity > 5000);
  near(at[0], 10, 1e-4);
  assert.equal(model.balls.count, 3);
});

test('bounds leave out what is unbounded, and take boxes as large as they are', () => {
  const model = modelWith('live');
  model.addFrame(frameAt(1, 0), '');
  const b = model.bounds();
  near(b.low[0], 9.5, 1e-3);
  near(b.high[0], 20.5, 1e-3);
  model.radius[2] = Infinity;
  near(model.bounds().high[0], 10.5, 1e-3);
  const { balls } = model;
  model.solids.push({
    body: 1,
    material: 0,
    kind: 2,
    position: [0, 0, 0],
    orientation: [1, 0, 0, 0],
    size: [0.1, 3, 0.2, 0, 0, 0],
  });
  model.solidBodies.add(1);
  const c = model.bounds();
  near(c.high[1] - c.low[1], 6, 1e-3);
  near(c.high[0], 10 + 0.5, 1e-3); // its ball reaches farther
  assert.ok(balls.count > 0);
});

test('the whole is more than what is near: one body flew off', () => {
  const model = modelWith('live');
  model.addFrame(frameAt(1, 0), '');
  const p = model.to.pose.position;
  model.known = 102;
  model.radius = new Float32Array(2048).fill(0.5);
  for (let i = 1; i < 102; i++) p.set([i === 101 ? 1e4 : i % 10, 0, 0, 0], 4 * i);
  const b = model.bounds();
  near(b.high[0], 1e4 + 0.5, 1e-2);
  assert.ok(b.near.high[0] < 9e3, `${b.near.high}`);
});

test('the materials that are there are those of balls that show them', () => {
  const model = new Model();
  model.reset({ kind: 'live', epoch: 1, bodies: 2 });
  const ball = (body, material) => ({ body, material, position: [0, 0, 0], radius: 0.5 });
  const bodies = [
    { index: 1, kind: 1, mass: 0, radius: 1 }, // fixed: it is grey
    { index: 2, kind: 0, mass: 1, radius: 1 },
  ];
  model.addBodies(decode(encodeBodies(1, bodies, [ball(1, 3), ball(2, 5)], [])));
  assert.deepEqual([...model.materials], [5]);
});

test('the player asks for what it needs, shows between frames and steps through them', () => {
  const model = modelWith('recording'),
    asked = [];
  const player = new Player(
    model,
    (index, base, latest) => asked.push([index, base, latest]),
    () => {},
  );
  model.addTimes(decode(encodeTimes(1, 0, [0, 0.1, 0.2, 0.3, 0.4])));
  player.tick(0);
  assert.deepEqual(asked, [
    [0, -1, false],
    [1, -1, false],
  ]);
  model.addFrame(frameAt(0, 0), '');
  model.addFrame(frameAt(1, 1), '');
  player.seek(0.05);
  player.tick(0);
  near(model.mix, 0.5);
  player.play(true);
  player.tick(0.02);
  near(player.time, 0.07);
  assert.ok(
    asked.some(([index, base]) => index === 2 && base === 1),
    'the next one, as a difference',
  );
  player.time = 0.15;
  player.tick(0.02);
  near(player.time, 0.15); // waits for frame 2
  model.addFrame(frameAt(2, 2), '');
  player.tick(0.02);
  near(player.time, 0.17);
  player.stepFrames(1);
  near(player.time, 0.2);
  player.stepFrames(-1);
  near(player.time, 0.1);
  assert.equal(player.playing, false);
  asked.length = 0;
  player.seek(0.4);
  player.tick(0);
  assert.deepEqual(asked[0], [4, -1, true]);
});

test('a link brings back camera and time; nonsense in it does nothing', () => {
  const link = {
    camera: { target: [1, -2.5, 0.125], turn: 0.5, height: -0.25, distance: 12, orthographic: true },
    time: 1.25,
    colour: 'speed',
    picked: 12,
    speed: 0.5,
  };
  assert.deepEqual(readHash(`#${writeHash(link)}`), link);
  assert.deepEqual(readHash('#'), {});
  assert.deepEqual(readHash('#cam=1,2,3&t=abc&colour=<b>&body=-1&speed=-2'), {});
  assert.deepEqual(readHash('#cam=1,2,3,0,0,-5,p'), {});
  assert.deepEqual(readHash('#cam=1,2,3,0,0,Infinity,p&t='), {});
});

test('history keeps order, thins out, and gives columns by name', () => {
  const history = new History(['steps', 'time', 'energy']);
  for (let i = 0; i < 30000; i++) history.add([i, i * 0.01, i * 2], 3, 1);
  assert.ok(history.rows <= 8192 && history.rows > 2000);
  const t = history.column('time');
  near(t[t.length - 1], 299.99, 0.2);
  for (let i = 1; i < t.length; i++) assert.ok(t[i] > t[i - 1]);
  const rows = history.rows;
  history.add([0, 1, 2], 3, 1); // the past does not come again
  assert.equal(history.rows, rows);
  assert.equal(history.column('nothing'), null);
  assert.equal(
    csv(
      ['time', 'a,b'],
      [
        [0, 1],
        [2, NaN],
      ],
    ),
    'time,"a,b"\n0,2\n1,\n',
  );
});

test('measures keep every peak, however long the run', () => {
  const m = new Measures([
    { name: 'load.x', unit: 'N' },
    { name: 'load.y', unit: 'N' },
  ]);
  const row = (step, x, y) => [step, step * 0.01, x, x, x, y, y, y];
  for (let i = 1; i <= 100000; i++)
    m.add(Float64Array.from(row(i, i === 777 ? 5e6 : Math.sin(i), i % 2 ? NaN : -i)), 8, 1);
  assert.ok(m.rows <= 8192 && m.rows > 2000, `${m.rows}`);
  assert.deepEqual(m.ranges, [[m.ranges[0][0], 5e6], [-100000, -2]]);
  const steps = m.column(0),
    greatest = m.column(4);
  assert.equal(steps[steps.length - 1], 100000);
  for (let i = 1; i < m.rows; i++) assert.ok(steps[i] > steps[i - 1]);
  const at = greatest.indexOf(5e6);
  assert.ok(steps[at] >= 777 && (at === 0 || steps[at - 1] < 777), 'the peak is in its row');
  const early = steps.findIndex((s) => s > 50000);
  assert.ok(early > 1000 && early < m.rows - 1000, `as fine then as now, about: ${early} of ${m.rows}`);
  m.add(Float64Array.from(row(5, 9e9, 0)), 8, 1); // the past does not come again
  assert.equal(m.ranges[0][1], 5e6);
  const [time, x, y] = m.lines();
  assert.ok(time.length === x.length && x.length === y.length && x.includes(5e6) && y.includes(-100000));
  for (let i = 1; i < time.length; i++) assert.ok(time[i] >= time[i - 1]);
  const few = new Measures([{ name: 'a', unit: '' }]);
  few.add(Float64Array.from([1, 0.1, 2, 2, 2, 4, 0.4, 3, -1, 7, 5, 0.5, NaN, NaN, NaN]), 5, 3);
  assert.deepEqual(few.lines(), [
    [0.1, 0.4, 0.4, 0.4, 0.5],
    [2, -1, 7, 3, null],
  ]);
  assert.deepEqual(few.ranges, [[-1, 7]]);
});

test('friction and bounce of pairs are those that were told', () => {
  const m = new Materials({
    materials: [
      { index: 0, name: 'default' },
      { index: 1, name: 'glass' },
    ],
  });
  assert.equal(m.get(0, 1), null); // nothing is guessed
  m.take({
    pairs: [
      [0, 0, 0.5, 0],
      [0, 1, 0.7, 0.1],
      [1, 1, 0.18, 0.6],
    ],
  });
  assert.deepEqual(m.get(1, 0), { a: 0, b: 1, friction: 0.7, restitution: 0.1 });
  assert.equal(m.all().length, 3);
  assert.deepEqual(m.set(m.get(0, 1), 'restitution', 0.3), { do: 'pairs', pairs: [[0, 1, 0.7, 0.3]] });
  assert.deepEqual(m.change('friction', -0.2).pairs, [
    [0, 0, 0.3, 0],
    [0, 1, 0.5, 0.1],
    [1, 1, 0, 0.6], // not below zero
  ]);
  assert.ok(m.change('restitution', 0.9).pairs.every((p) => p[3] <= 1));
});

test('keys change physics only once that is switched on', () => {
  const said = [],
    app = {
      options: { keysChange: false },
      settings: { gravity: [0, 0, -10] },
      set: () => assert.fail('it was changed'),
      say: (text) => said.push(text),
    };
  for (const key of ['k', 'd', 'c', 'f', 'v', 'g', 'b', 'h', 'n', 'j', 'm', 'z', 'x', 'Delete'])
    runAction(app, actionOf(key, false));
  assert.equal(said.length, 14);
  const set = [];
  Object.assign(app, { options: { keysChange: true }, set: (v) => Promise.resolve(set.push(v)) });
  runAction(app, actionOf('j', false));
  assert.deepEqual(set, [{ gravity: [0, 0, -11] }]);
});

test('keys change the constants of penalty contact, and what they did under hard contact', async () => {
  const said = [],
    set = [],
    app = {
      options: { keysChange: true },
      settings: {
        stepper: 'penalty',
        penalty_law: 'scaled',
        penalty_collision_threshold: 1,
        penalty_damping: 12.5,
        penalty_stiffness: 0, // the default, 1000
        penalty_friction: 50,
        penalty_collisions: true,
        envelope: 0.01,
      },
      hello: { radius: 1 },
      set: (v) => Promise.resolve(set.push(v)),
      say: (text) => said.push(text),
    };
  for (const key of 'kdcfvgbhn') await runAction(app, actionOf(key, false));
  assert.deepEqual(set, [
    { penalty_collisions: false },
    { penalty_collision_threshold: 1.25 },
    { penalty_collision_threshold: 0.8 },
    { penalty_damping: 15.625 },
    { penalty_damping: 10 },
    { penalty_stiffness: 1250 },
    { penalty_stiffness: 800 },
    { penalty_friction: 62.5 },
    { penalty_friction: 40 },
  ]);
  assert.match(said[0], /collisions: off/);
  set.length = said.length = 0;
  app.settings.penalty_law = 'hertz';
  for (const key of 'kdcfvgb') await runAction(app, actionOf(key, false));
  assert.deepEqual([set.length, said.length], [0, 7]);
  app.settings.stepper = 'dvi';
  await runAction(app, actionOf('d', false));
  assert.deepEqual(set, [{ envelope: 0.0125 }]);
});

test('Esc lets go of a body; where none is picked it asks whether to end the run', () => {
  const did = [],
    app = {
      options: {},
      picked: 3,
      recording: false,
      can: (what) => what === 'edit',
      emit: (what) => did.push(what),
      pick: (body) => did.push(body),
    };
  runAction(app, actionOf('Escape', false));
  app.picked = null;
  runAction(app, actionOf('Escape', false));
  app.can = () => false; // a run that can be watched, not changed
  runAction(app, actionOf('Escape', false));
  Object.assign(app, { can: () => true, recording: true });
  runAction(app, actionOf('Escape', true));
  assert.deepEqual(did, [null, 'end', null, null]);
});

test('numbers for people', () => {
  assert.deepEqual([0.7, 1, 1.2, 3, 7, 0].map(roundUp), [1, 1, 2, 5, 10, 1]);
  assert.deepEqual([0, 1234.567, 1e-6, 2e7, NaN, Infinity].map(format), [
    '0',
    '1235',
    '1e-6',
    '2e7',
    '–',
    '∞',
  ]);
});

test('picking finds the nearest ball, behind a cut the next one, and looks through walls', () => {
  const model = modelWith('live');
  model.addFrame(frameAt(1, 0, true, [1, 2, 3]), '');
  model.kind[3] = 1;
  model.radius[3] = 30;
  model.solids.push({
    body: 3, // at 30 m
    material: 0,
    kind: 2,
    position: [-25, 0, 0],
    orientation: [1, 0, 0, 0],
    size: [0.1, 3, 3, 0, 0, 0],
  });
  assert.deepEqual(pickBody(model, [0, 0, 0], [1, 0, 0]).index, 1);
  near(pickBody(model, [0, 0, 0], [1, 0, 0]).distance, 9.5, 1e-3);
  assert.equal(pickBody(model, [0, 0, 1], [1, 0, 0]).index, 2); // its ball sits 1 m above its origin
  assert.equal(pickBody(model, [0, 0, 0.2], [1, 0, 0], (x) => x < 9.9).index, 1); // its far side is still there
  near(pickBody(model, [0, 2, 0], [1, 0, 0]).distance, 4.9, 1e-3); // no ball there: the wall
  assert.equal(pickBody(model, [0, 9, 0], [1, 0, 0]), null);
});

test('every key of the older program does something, and no key does two things', () => {
  for (const key of [
    'A',
    'S',
    'R',
    'K',
    'T',
    'D',
    'C',
    'F',
    'V',
    'G',
    'B',
    'H',
    'N',
    'J',
    'M',
    'Z',
    'X',
    'F1',
    'ArrowUp',
    'ArrowDown',
    'ArrowLeft',
    'ArrowRight',
    'Escape',
  ])
    assert.ok(actionOf(key, false), key);
  const live = ACTIONS.filter((a) => !a.recording).flatMap((a) => a.keys);
  assert.equal(new Set(live).size, live.length);
  assert.equal(actionOf('j', true), null);
  assert.equal(actionOf('=', false).key, '+');
});

test('a lost connection is opened again, replies find their commands, a broken message ends it', async () => {
  const sockets = [],
    states = [],
    texts = [];
  const make = () => {
    const s = {
      readyState: 0,
      sent: [],
      send(t) {
        this.sent.push(JSON.parse(t));
      },
      close() {
        this.readyState = 3;
        this.onclose({ reason: '' });
      },
    };
    sockets.push(s);
    return s;
  };
  const c = new Connection(
    'ws://x/stream',
    { text: (m) => texts.push(m), binary: () => {}, state: (s) => states.push(s) },
    make,
  );
  sockets[0].readyState = 1;
  sockets[0].onopen();
  const reply = c.ask({ do: 'stop' });
  sockets[0].onmessage({ data: JSON.stringify({ type: 'reply', id: sockets[0].sent[0].id, ok: true }) });
  assert.equal((await reply).ok, true);
  const refused = c.ask({ do: 'nonsense' });
  sockets[0].onmessage({ data: JSON.stringify({ type: 'reply', id: 2, ok: false, error: 'unknown' }) });
  await assert.rejects(refused, /unknown/);
  const open = c.ask({ do: 'step' });
  const warn = console.warn;
  console.warn = () => {};
  sockets[0].onmessage({ data: new ArrayBuffer(3) });
  console.warn = warn;
  await assert.rejects(open, /lost/);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(sockets.length, 2);
  assert.deepEqual(states, ['connecting', 'open', 'lost', 'connecting']);
  await assert.rejects(c.ask({ do: 'step' }), /not connected/);
  c.close();
});

// ---- shapes ----

const solid = (kind, size) => ({
  kind,
  size: [...size, 0, 0, 0, 0, 0].slice(0, 6),
  form: 0,
  orientation: [1, 0, 0, 0],
});
/** What is within r of a body: by its volume, surface and mean curvature (Steiner's formula). */
const rounded = (volume, area, curvature, r) =>
  volume + area * r + curvature * r * r + ((4 * Math.PI) / 3) * r ** 3;
const SOLIDS = {
  box: [solid(2, [0.5, 1, 2]), 8, Math.hypot(0.5, 1, 2)],
  'rounded box': [
    solid(2, [0.5, 1, 2, 0.2]),
    rounded(0.6 * 1.6 * 3.6, 2 * (0.6 * 1.6 + 1.6 * 3.6 + 3.6 * 0.6), Math.PI * 5.8, 0.2),
    Math.hypot(0.3, 0.8, 1.8) + 0.2,
  ],
  capsule: [solid(4, [0.5, 0.8]), Math.PI * 0.25 * 1.6 + ((4 * Math.PI) / 3) * 0.125, 1.3],
  cylinder: [solid(5, [0.5, 0.8]), Math.PI * 0.25 * 1.6, Math.hypot(0.5, 0.8)],
  'rounded cylinder': [
    solid(5, [0.5, 0.8, 0.1]),
    rounded(Math.PI * 0.16 * 1.4, Math.PI * (0.32 + 2 * 0.4 * 1.4), Math.PI * (1.4 + Math.PI * 0.4), 0.1),
    Math.hypot(0.4, 0.7) + 0.1,
  ],
  cone: [solid(6, [0.5, 0.8]), (Math.PI * 0.25 * 1.6) / 3, Math.hypot(0.5, 0.8)],
  ellipsoid: [solid(7, [0.5, 1, 2]), (4 * Math.PI) / 3, 2],
};

/** Volume and whether the surface is closed and turned outward. */
function measured(mesh, instance) {
  const points = [],
    places = new Map(),
    edges = new Map();
  let volume = 0;
  for (let i = 0; i < mesh.inner.length / 3; i++) {
    const p = [0, 0, 0];
    vertexOf(mesh, instance, i, p);
    points.push(p);
  }
  const place = (i) => {
    const key = points[i].map((x) => Math.round(x * 1e5) + 0).join();
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key);
  };
  for (let i = 0; i < mesh.index.length; i += 3) {
    const n = [...mesh.index.subarray(i, i + 3)],
      [a, b, c] = n.map((k) => points[k]),
      at = n.map(place);
    volume +=
      (a[0] * (b[1] * c[2] - b[2] * c[1]) +
        a[1] * (b[2] * c[0] - b[0] * c[2]) +
        a[2] * (b[0] * c[1] - b[1] * c[0])) /
      6;
    for (let k = 0; k < 3; k++) {
      const edge = `${at[k]} ${at[(k + 1) % 3]}`;
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  }
  const back = (edge) => edges.get(edge.split(' ').reverse().join(' '));
  const closed = [...edges].every(([edge, count]) => back(edge) === count);
  return { volume, closed };
}

test('meshes of solids are closed and as large as they are', () => {
  for (const [name, [s, volume, size]] of Object.entries(SOLIDS)) {
    const found = measured(meshOf(meshKey(s), new Map()), instanceOf(s));
    assert.ok(found.closed, `${name} is closed`);
    const part = found.volume / volume;
    assert.ok(part <= 1 + 1e-6 && part > 0.94, `${name}: ${part} of its volume`);
    near(sizeOf(s, new Map()), size, 1e-9);
  }
  assert.equal(meshKey(solid(99, [1, 1, 1])), null);
});

test('a parallelogram leans as its edges say, wherever its frame is turned', () => {
  const s = { ...solid(3, []), size: [0, 2, 0, 1, 1, 3], orientation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2] };
  const instance = instanceOf(s),
    mesh = meshOf('patch', new Map()),
    [x, y, z, w] = instance.turn;
  const corner = (i) => {
    const p = [0, 0, 0];
    vertexOf(mesh, instance, i, p);
    const t = [2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])];
    return [
      p[0] + w * t[0] + y * t[2] - z * t[1],
      p[1] + w * t[1] + z * t[0] - x * t[2],
      p[2] + w * t[2] + x * t[1] - y * t[0],
    ];
  };
  // a quarter turn about z: (a, b, c) to (-b, a, c)
  [[0, 0, 0], [-2, 0, 0], [-3, 1, 3], [-1, 1, 3]].forEach((want, i) =>
    corner(i).forEach((v, k) => near(v, want[k], 1e-6)),
  );
});

test('a geometry comes in parts, and its solids are picked, drawn and bounded by its triangles', () => {
  const model = modelWith('live');
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]].map(([x, y]) => [x, y, 1, 0, 0, 1]);
  model.addGeometry(decode(encodeGeometry(1, 1, square.slice(0, 3), [[0, 1, 2]], [0, 0], [4, 2])));
  assert.ok(!model.forms.has(1), 'a part is not the whole');
  model.addGeometry(decode(encodeGeometry(1, 1, square.slice(3), [[0, 2, 3]], [3, 1], [4, 2])));
  near(model.forms.get(1).reach, 3, 1e-6);
  const place = { material: 0, position: [0, 0, 0], orientation: [1, 0, 0, 0], size: [0, 0, 0, 0, 0, 0] };
  model.addBodies(
    decode(
      encodeBodies(
        1,
        [{ index: 3, kind: 1, mass: 0, radius: 3 }],
        [],
        [
          { ...place, body: 3, kind: 9, form: 1 },
          { ...place, body: 3, kind: 10, form: 7 }, // a form that never came: left out
        ],
      ),
    ),
  );
  assert.equal(model.solids.length, 1);
  model.addFrame(frameAt(1, 0, true, [1, 2, 3]), '');
  const hit = pickBody(model, [31, 1, 5], [0, 0, -1]);
  assert.equal(hit.index, 3);
  near(hit.distance, 4, 1e-4);
  assert.equal(pickBody(model, [33, 1, 5], [0, 0, -1]), null);
  near(model.bounds().high[0], 32, 1e-3);
});

test('dynamic solids hide what is behind them; the ground hides balls, not walls before it', () => {
  const model = modelWith('live');
  const place = { material: 0, position: [0, 0, 0], orientation: [1, 0, 0, 0] };
  model.addGeometry(
    decode(
      encodeGeometry(
        1,
        1,
        [[-50, -50], [50, -50], [50, 50], [-50, 50]].map(([x, y]) => [x, y, -1, 0, 0, 1]),
        [[0, 1, 2], [0, 2, 3]],
      ),
    ),
  );
  model.addBodies(
    decode(
      encodeBodies(
        1,
        [
          { index: 3, kind: 0, mass: 1, radius: 1 },
          { index: 4, kind: 1, mass: 0, radius: 1 },
          { index: 5, kind: 1, mass: 0, radius: 80 },
        ],
        [],
        [
          { ...place, body: 3, kind: 2, size: [3, 3, 3, 0, 0, 0], sensor: true },
          { ...place, body: 3, kind: 4, size: [0.5, 0.5, 0, 0, 0, 0] },
          { ...place, body: 4, kind: 2, size: [0.5, 0.5, 0.5, 0, 0, 0] },
          { ...place, body: 5, kind: 10, size: [0, 0, 0, 0, 0, 0], form: 1 },
        ],
      ),
    ),
  );
  model.addFrame(frameAt(1, 0, true, [1, 2, 3, 4, 5]), '');
  const down = (x, z) => pickBody(model, [x, 0, z], [0, 0, -1])?.index;
  assert.equal(down(30, 5), 3, 'the capsule, not the ground');
  assert.equal(down(40, 5), 4, 'the wall, not the ground');
  assert.equal(down(45, 5), 5, 'the ground');
  assert.equal(pickBody(model, [10, 0, -5], [0, 0, 1]).index, 5, 'not the ball behind the ground');
  near(pickBody(model, [20, 0.01, 5], [1, 0, 0])?.distance ?? -1, -1, 0);
  near(pickBody(model, [25, 0.01, 0.5], [1, 0, 0]).distance, 4.5, 0.02); // the side of the capsule
  assert.equal(model.balls.high, 1, 'sizes count solids of dynamic bodies');
});
