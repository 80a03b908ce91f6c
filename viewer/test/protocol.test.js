// Decoding: what the encoder of mock/ writes comes back, and what is cut short is refused.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import {
  decode,
  applyFrame,
  applyField,
  applyVectors,
  unpackTurn,
  expandIndices,
  Pose,
  ProtocolError,
} from '../src/protocol.js';
import {
  encodeBodies,
  encodeContacts,
  encodeField,
  encodeFrame,
  encodeMonitor,
  encodeRows,
  encodeTimes,
  packTurn,
} from '../mock/encode.js';

const near = (a, b, by) => assert.ok(Math.abs(a - b) <= by, `${a} is not within ${by} of ${b}`);
const state = {
  time: 1.25,
  steps: 250,
  sequence: 7,
  base: 6,
  bodies: 3,
  origin: [-1, -2, -3],
  quantum: 1e-5,
};

function randomTurn(random) {
  const q = [random(), random(), random(), random()].map((x) => x - 0.5),
    l = Math.hypot(...q);
  return q.map((x) => x / l);
}

function generator(seed) {
  let s = seed;
  return () => {
    s = (s * 1103515245 + 12345) % 2147483648;
    return s / 2147483648;
  };
}

test('positions come back within half a quantum, orientations within 0.3 degrees', () => {
  const random = generator(3),
    rows = [];
  for (let i = 0; i < 500; i++)
    rows.push({
      index: 3 * i + 1,
      position: [0, 1, 2].map((k) => state.origin[k] + random() * 20),
      turn: randomTurn(random),
    });
  const pose = new Pose(2048);
  const count = applyFrame(decode(encodeFrame(1, { ...state, bodies: 500 }, rows)), pose);
  assert.equal(count, 500);
  for (const row of rows) {
    for (let k = 0; k < 3; k++)
      near(pose.position[4 * row.index + k], row.position[k], state.quantum / 2 + 2e-6);
    const q = pose.turn.subarray(4 * row.index, 4 * row.index + 4);
    const dot =
      Math.abs(q[3] * row.turn[0] + q[0] * row.turn[1] + q[1] * row.turn[2] + q[2] * row.turn[3]) / 32767;
    near(
      (2 * Math.acos(Math.min(1, (dot / Math.hypot(q[0], q[1], q[2], q[3])) * 32767)) * 180) / Math.PI,
      0,
      0.3,
    );
  }
  assert.ok(!pose.has(2) && pose.has(4));
});

test('the largest coordinate of 21 bits survives on each axis', () => {
  const top = 2 ** 21 - 1,
    pose = new Pose(2048),
    s = { ...state, origin: [0, 0, 0], quantum: 1 };
  for (const position of [
    [top, 0, 0],
    [0, top, 0],
    [0, 0, top],
    [top, top, top],
    [1, 2, 3],
  ]) {
    applyFrame(decode(encodeFrame(1, s, [{ index: 1, position, turn: [1, 0, 0, 0] }])), pose);
    assert.deepEqual([...pose.position.subarray(4, 7)], position);
  }
});

test('each component can be the largest, with either sign', () => {
  const out = [0, 0, 0, 0];
  for (let k = 0; k < 4; k++)
    for (const sign of [1, -1]) {
      const q = [0.1, 0.2, -0.3, 0.1];
      q[k] = sign * Math.sqrt(1 - q.reduce((s, x, i) => (i === k ? s : s + x * x), 0));
      unpackTurn(packTurn(q), out, 0);
      const back = [out[3], out[0], out[1], out[2]].map((x) => (x / 32767) * sign);
      back.forEach((x, i) => near(x, q[i], 2e-3));
    }
});

test('a difference changes what it lists, removes what is gone, keeps the rest', () => {
  const pose = new Pose(2048),
    rows = [1, 2, 3, 4].map((index) => ({ index, position: [index, 0, 0], turn: [1, 0, 0, 0] }));
  applyFrame(decode(encodeFrame(1, { ...state, origin: [0, 0, 0] }, rows)), pose);
  applyFrame(
    decode(
      encodeFrame(
        1,
        { ...state, origin: [0, 0, 0] },
        [{ index: 2, position: [2, 5, 0], turn: [1, 0, 0, 0] }],
        [{ index: 9, position: [100.5, 0, 0], turn: [0, 1, 0, 0] }],
        [4],
        false,
      ),
    ),
    pose,
  );
  near(pose.position[4 * 1], 1, 1e-5);
  near(pose.position[4 * 2 + 1], 5, 1e-5);
  assert.ok(pose.has(3) && !pose.has(4) && pose.has(9));
  assert.equal(pose.position[4 * 9], 100.5);
  assert.deepEqual([...pose.turn.subarray(36, 40)], [32767, 0, 0, 0]);
  applyFrame(decode(encodeFrame(1, state, [rows[0]])), pose); // a full one: the rest is not there
  assert.ok(pose.has(1) && !pose.has(2) && !pose.has(9));
});

test('runs of indices', () => {
  const out = new Uint32Array(5);
  assert.equal(expandIndices(new Uint32Array([4, 3, 10, 2]), true, out), 5);
  assert.deepEqual([...out], [4, 5, 6, 10, 11]);
  assert.throws(() => expandIndices(new Uint32Array([4, 300]), true, out), ProtocolError);
  const rows = [4, 5, 6].map((index) => ({ index, position: [index, 0, 0], turn: [1, 0, 0, 0] })),
    pose = new Pose(2048);
  applyFrame(decode(encodeFrame(1, { ...state, origin: [0, 0, 0] }, rows, [], [], true, [4, 3])), pose);
  near(pose.position[4 * 6], 6, 1e-5);
});

test('fields: values to colour by, vectors, and bodies that are not there', () => {
  const pose = new Pose(2048);
  applyFrame(
    decode(
      encodeFrame(1, state, [
        { index: 2, position: [0, 0, 0], turn: [1, 0, 0, 0] },
        { index: 3, position: [0, 0, 0], turn: [1, 0, 0, 0] },
      ]),
    ),
    pose,
  );
  applyField(decode(encodeField(1, 1, 7, [2, 3], [0, 5, 10], 1)), pose);
  near(pose.position[4 * 3 + 3], 5, 1e-3);
  assert.ok(!pose.has(4), 'a field makes no body');
  const out = new Float32Array(30),
    field = decode(encodeField(1, 3, 7, [2, 1, 5, 1], [1, -2, 3, 4, 5, -6], 3));
  assert.equal(field.field, 'velocity');
  applyVectors(field, out);
  [1, -2, 3].forEach((x, k) => near(out[6 + k], x, 1e-3));
  [4, 5, -6].forEach((x, k) => near(out[15 + k], x, 1e-3));
});

test('tables, contacts, rows and times', () => {
  const bodies = decode(
    encodeBodies(
      5,
      [
        { index: 1, kind: 1, mass: 0, radius: Infinity },
        { index: 8, kind: 0, mass: 2, radius: 0.5 },
      ],
      [{ body: 8, material: 3, position: [1, 2, 3], radius: 0.5 }],
      [
        {
          body: 1,
          material: 2,
          kind: 2,
          position: [0, 0, 1],
          orientation: [1, 0, 0, 0],
          size: [1, 2, 3, 0, 0, 0],
        },
      ],
    ),
  );
  assert.deepEqual([bodies.epoch, bodies.count, bodies.last], [5, 2, true]);
  assert.deepEqual([...bodies.bodies.index, ...bodies.bodies.kind], [1, 8, 1, 0]);
  assert.deepEqual(
    [bodies.ballWords[0], bodies.ballWords[1], ...bodies.ballNumbers.subarray(2)],
    [8, 3, 1, 2, 3, 0.5],
  );
  assert.deepEqual(bodies.solids[0], {
    body: 1,
    material: 2,
    kind: 2,
    sensor: false,
    form: 0,
    position: [0, 0, 1],
    orientation: [1, 0, 0, 0],
    size: [1, 2, 3, 0, 0, 0],
  });
  const contacts = decode(
    encodeContacts(1, 7, 0.005, [
      { a: 2, b: 1, point: [1, 2, 3], normal: [0, 0, -1], gap: -0.5, impulse: [0, 0, -2] },
    ]),
  );
  assert.deepEqual(
    [contacts.count, contacts.words[0], contacts.words[1], contacts.numbers[2], contacts.numbers[11]],
    [1, 2, 1, 1, -2],
  );
  const rows = decode(
    encodeRows(
      1,
      6,
      1,
      17,
      [
        [1, 2],
        [3, 4],
      ],
      2,
    ),
  );
  assert.deepEqual(
    [rows.id, rows.rows, rows.columns, rows.stride, ...rows.values],
    [17, 2, 2, 2, 1, 2, 3, 4],
  );
  const measured = decode(encodeMonitor(4, 2, true, [[7, 0.5, 1, 0, 3]]));
  assert.deepEqual(
    [measured.kind, measured.epoch, measured.monitor, measured.flags, measured.rows, ...measured.values],
    [9, 4, 2, 1, 1, 7, 0.5, 1, 0, 3],
  );
  const times = decode(encodeTimes(1, 3, [0.5, 1]));
  assert.deepEqual([times.first, ...times.times], [3, 0.5, 1]);
});

test('a message cut anywhere is refused or leaves nothing out', () => {
  const messages = [
    encodeFrame(
      1,
      state,
      [{ index: 1, position: [0, 0, 0], turn: [1, 0, 0, 0] }],
      [{ index: 2, position: [0, 0, 0], turn: [1, 0, 0, 0] }],
      [3],
    ),
    encodeBodies(
      1,
      [{ index: 1, kind: 0, mass: 1, radius: 1 }],
      [{ body: 1, material: 0, position: [0, 0, 0], radius: 1 }],
      [],
    ),
    encodeField(1, 1, 7, [1, 2], [1, 2], 1),
    encodeTimes(1, 0, [1, 2]),
    encodeRows(1, 7, 0, 1, [[1, 2]]),
    encodeContacts(1, 7, 1, [
      { a: 1, b: 2, point: [0, 0, 0], normal: [0, 0, 1], gap: 0, impulse: [0, 0, 1] },
    ]),
  ];
  for (const message of messages) {
    decode(message);
    for (let length = 0; length < message.byteLength; length++)
      assert.throws(
        () => decode(message.slice(0, length)),
        ProtocolError,
        `${length} of ${message.byteLength} bytes`,
      );
  }
  assert.throws(
    () =>
      applyFrame(
        decode(encodeFrame(1, state, [{ index: 5000, position: [0, 0, 0], turn: [1, 0, 0, 0] }])),
        new Pose(2048),
      ),
    ProtocolError,
  );
});
