// The binary messages of docs/viewer-protocol.md, decoded. Pure: arrays laid over the message where
// they are, and loops without garbage where a frame is unpacked. connection.js feeds it.

export const KIND = {
  BODIES: 1,
  GEOMETRY: 2,
  FRAME: 3, FIELD: 4, CONTACTS: 5, REPORTS: 6, SERIES: 7, TIMES: 8, MONITOR: 9 };
export const FIELDS = ['', 'speed', 'force', 'velocity', 'angular_velocity'];

/** A message that is not what the protocol says. */
export class ProtocolError extends Error {}

function need(ok, what) {
  if (!ok) throw new ProtocolError(`malformed message: ${what}`);
}

/** Decodes any binary message to an object with `kind` and `epoch`. */
export function decode(buffer) {
  need(buffer.byteLength >= 16, 'shorter than its head');
  const view = new DataView(buffer);
  const kind = view.getUint8(0);
  need(kind !== KIND.REPORTS || buffer.byteLength >= 24, 'REPORTS without its head');
  const head = {
    kind,
    flags: view.getUint8(1),
    extra: view.getUint16(2, true),
    epoch: view.getUint32(4, true),
  };
  switch (kind) {
    case KIND.BODIES:
      return decodeBodies(buffer, view, head);
    case KIND.GEOMETRY:
      return decodeGeometry(buffer, view, head);
    case KIND.FRAME:
      return decodeFrame(buffer, view, head);
    case KIND.FIELD:
      return decodeField(buffer, view, head);
    case KIND.CONTACTS:
      return decodeContacts(buffer, view, head);
    case KIND.REPORTS:
      return decodeRows(buffer, head, 24, {
        id: view.getUint32(8, true),
        rows: view.getUint32(12, true),
        stride: view.getFloat64(16, true),
      });
    case KIND.SERIES:
      return decodeRows(buffer, head, 16, { body: view.getUint32(8, true), rows: view.getUint32(12, true) });
    case KIND.MONITOR:
      return decodeRows(buffer, head, 16, {
        monitor: view.getUint32(8, true),
        rows: view.getUint32(12, true),
      });
    case KIND.TIMES:
      return decodeTimes(buffer, view, head);
    default:
      return head; // a kind that came later: left out
  }
}

function decodeBodies(buffer, view, head) {
  need(buffer.byteLength >= 24, 'BODIES without counts');
  const count = view.getUint32(8, true),
    balls = view.getUint32(12, true),
    solids = view.getUint32(16, true);
  const ballsAt = 24 + 16 * count,
    solidsAt = ballsAt + 24 * balls;
  need(buffer.byteLength >= solidsAt + 68 * solids, 'BODIES shorter than its rows');
  const bodies = {
    index: new Uint32Array(count),
    kind: new Uint8Array(count),
    mass: new Float32Array(count),
    radius: new Float32Array(count),
  };
  for (let i = 0, at = 24; i < count; i++, at += 16) {
    bodies.index[i] = view.getUint32(at, true);
    bodies.kind[i] = view.getUint8(at + 4);
    bodies.mass[i] = view.getFloat32(at + 8, true);
    bodies.radius[i] = view.getFloat32(at + 12, true);
  }
  return {
    ...head,
    last: (head.flags & 1) !== 0,
    count,
    bodies,
    ballCount: balls, // six words a ball, as integers and as numbers
    ballWords: new Uint32Array(buffer, ballsAt, 6 * balls),
    ballNumbers: new Float32Array(buffer, ballsAt, 6 * balls),
    solids: Array.from({ length: solids }, (_, i) => decodeSolid(view, solidsAt + 68 * i)),
  };
}

function decodeSolid(view, at) {
  const f = (k) => view.getFloat32(at + 16 + 4 * k, true);
  return {
    body: view.getUint32(at, true),
    material: view.getUint32(at + 4, true),
    kind: view.getUint8(at + 8),
    sensor: view.getUint8(at + 9) === 1,
    form: view.getUint32(at + 12, true),
    position: [f(0), f(1), f(2)],
    orientation: [f(3), f(4), f(5), f(6)],
    size: [f(7), f(8), f(9), f(10), f(11), f(12)],
  };
}

function decodeGeometry(buffer, view, head) {
  need(buffer.byteLength >= 40, 'GEOMETRY without its head');
  const [form, vertices, triangles, firstVertex, vertexCount, firstTriangle, triangleCount] = Array.from(
    { length: 7 },
    (_, k) => view.getUint32(8 + 4 * k, true),
  );
  need(
    firstVertex + vertexCount <= vertices && firstTriangle + triangleCount <= triangles,
    'GEOMETRY with more than it says',
  );
  need(buffer.byteLength >= 40 + 24 * vertexCount + 12 * triangleCount, 'GEOMETRY shorter than its rows');
  return {
    ...head,
    form,
    vertices,
    triangles,
    firstVertex,
    firstTriangle,
    last: (head.flags & 1) !== 0,
    points: new Float32Array(buffer, 40, 6 * vertexCount), // x, y, z and the normal
    corners: new Uint32Array(buffer, 40 + 24 * vertexCount, 3 * triangleCount),
  };
}

function decodeFrame(buffer, view, head) {
  need(buffer.byteLength >= 88, 'FRAME without its head');
  const packed = view.getUint32(72, true),
    words = view.getUint32(76, true),
    exact = view.getUint32(80, true),
    gone = view.getUint32(84, true);
  const exactAt = 88 + 8 * packed,
    turnsAt = exactAt + 48 * exact,
    wordsAt = turnsAt + 4 * packed,
    goneAt = wordsAt + 4 * words;
  need(buffer.byteLength >= goneAt + 4 * gone, 'FRAME shorter than its rows');
  return {
    ...head,
    full: (head.flags & 1) !== 0,
    runs: (head.flags & 2) !== 0,
    time: view.getFloat64(8, true),
    steps: view.getFloat64(16, true),
    sequence: view.getUint32(24, true),
    base: view.getUint32(28, true),
    bodies: view.getUint32(32, true),
    origin: [view.getFloat64(40, true), view.getFloat64(48, true), view.getFloat64(56, true)],
    quantum: view.getFloat64(64, true),
    packed,
    exact,
    bytes: buffer.byteLength,
    positions: new Uint32Array(buffer, 88, 2 * packed),
    turns: new Uint32Array(buffer, turnsAt, packed),
    exactNumbers: new Float64Array(buffer, exactAt, 6 * exact),
    exactTurns: new Float32Array(buffer, exactAt, 12 * exact),
    exactWords: new Uint32Array(buffer, exactAt, 12 * exact),
    indices: new Uint32Array(buffer, wordsAt, words),
    gone: new Uint32Array(buffer, goneAt, gone),
  };
}

function decodeField(buffer, view, head) {
  need(buffer.byteLength >= 40, 'FIELD without its head');
  const count = view.getUint32(12, true),
    words = view.getUint32(32, true),
    components = head.extra;
  need(buffer.byteLength >= 40 + 4 * words + 2 * count * components, 'FIELD shorter than its values');
  return {
    ...head,
    field: FIELDS[head.flags] ?? '',
    components,
    sequence: view.getUint32(8, true),
    count,
    low: view.getFloat64(16, true),
    high: view.getFloat64(24, true),
    runs: new Uint32Array(buffer, 40, words),
    values: new Uint16Array(buffer, 40 + 4 * words, count * components),
  };
}

function decodeContacts(buffer, view, head) {
  need(buffer.byteLength >= 56, 'CONTACTS without its head');
  const count = view.getUint32(12, true);
  need(buffer.byteLength >= 56 + 48 * count, 'CONTACTS shorter than its rows');
  return {
    ...head,
    more: (head.flags & 1) !== 0,
    sequence: view.getUint32(8, true),
    count,
    total: view.getFloat64(16, true),
    step: view.getFloat64(24, true),
    origin: [view.getFloat64(32, true), view.getFloat64(40, true), view.getFloat64(48, true)],
    words: new Uint32Array(buffer, 56, 12 * count),
    numbers: new Float32Array(buffer, 56, 12 * count),
  };
}

function decodeRows(buffer, head, at, more) {
  need(buffer.byteLength >= at + 8 * head.extra * more.rows, 'rows missing');
  return {
    ...head,
    ...more,
    columns: head.extra,
    values: new Float64Array(buffer, at, head.extra * more.rows),
  };
}

function decodeTimes(buffer, view, head) {
  const count = view.getUint32(12, true);
  need(buffer.byteLength >= 16 + 8 * count, 'TIMES shorter than its times');
  return { ...head, first: view.getUint32(8, true), count, times: new Float64Array(buffer, 16, count) };
}

/** Where a state is kept: by index of the body, positions as (x, y, z, value) and orientations as
 *  (x, y, z, w) times 32767. `value` is what bodies are coloured by, -1: the body is not there. */
export class Pose {
  constructor(capacity) {
    this.capacity = capacity;
    this.position = new Float32Array(4 * capacity);
    this.turn = new Int16Array(4 * capacity);
    this.clear();
  }

  clear() {
    const p = this.position;
    for (let i = 3; i < p.length; i += 4) p[i] = -1;
  }

  copy(from) {
    if (from.capacity > this.capacity) throw new Error('pose too small');
    this.position.set(from.position);
    this.turn.set(from.turn);
    for (let i = 4 * from.capacity + 3; i < this.position.length; i += 4) this.position[i] = -1;
  }

  has(index) {
    return index < this.capacity && this.position[4 * index + 3] >= 0;
  }
}

/** Calls nothing, fills `out` with the index of each row. Returns how many there are. */
export function expandIndices(words, runs, out) {
  if (!runs) {
    out.set(words);
    return words.length;
  }
  let n = 0;
  for (let i = 0; i + 1 < words.length; i += 2) {
    const first = words[i],
      end = first + words[i + 1];
    need(n + words[i + 1] <= out.length, 'more indices than rows');
    for (let k = first; k < end; k++) out[n++] = k;
  }
  return n;
}

const HALF = Math.SQRT1_2 / 511;
let scratch = new Uint32Array(1024);

/** Applies a frame to `pose`, which holds its base (or is cleared by a full one). Bodies beyond the
 *  pose's capacity are a fault of the message. Returns how many rows were written. */
export function applyFrame(frame, pose) {
  if (frame.full) pose.clear();
  if (scratch.length < frame.packed) scratch = new Uint32Array(2 * frame.packed);
  const count = expandIndices(
    frame.indices,
    frame.runs,
    scratch.length === frame.packed ? scratch : scratch.subarray(0, frame.packed),
  );
  need(count === frame.packed, 'indices and rows differ in number');
  const { positions, turns, quantum } = frame,
    [ox, oy, oz] = frame.origin;
  const p = pose.position,
    q = pose.turn;
  for (let i = 0; i < count; i++) {
    const at = 4 * scratch[i],
      lo = positions[2 * i],
      hi = positions[2 * i + 1];
    need(at < p.length, 'a body that was not announced');
    p[at] = ox + quantum * (lo & 0x1fffff);
    p[at + 1] = oy + quantum * ((lo >>> 21) | ((hi & 0x3ff) << 11));
    p[at + 2] = oz + quantum * ((hi >>> 10) & 0x1fffff);
    if (p[at + 3] < 0) p[at + 3] = 0;
    unpackTurn(turns[i], q, at);
  }
  applyExact(frame, pose);
  for (const index of frame.gone) if (index < pose.capacity) p[4 * index + 3] = -1;
  return count + frame.exact;
}

function applyExact(frame, pose) {
  const { exactNumbers: numbers, exactTurns: turns, exactWords: words } = frame;
  for (let i = 0; i < frame.exact; i++) {
    const index = words[12 * i + 10],
      at = 4 * index;
    need(index < pose.capacity, 'a body that was not announced');
    for (let k = 0; k < 3; k++) pose.position[at + k] = numbers[6 * i + k];
    if (pose.position[at + 3] < 0) pose.position[at + 3] = 0;
    for (let k = 0; k < 4; k++)
      // (w, x, y, z) to (x, y, z, w)
      pose.turn[at + ((k + 3) & 3)] = Math.round(turns[12 * i + 6 + k] * 32767);
  }
}

/** Writes a packed orientation as (x, y, z, w) times 32767 to out[at..at + 3]. */
export function unpackTurn(word, out, at) {
  const largest = word >>> 30;
  const a = (((word >>> 20) & 1023) - 511) * HALF,
    b = (((word >>> 10) & 1023) - 511) * HALF,
    c = ((word & 1023) - 511) * HALF;
  const d = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  let w, x, y, z;
  if (largest === 0) {
    w = d;
    x = a;
    y = b;
    z = c;
  } else if (largest === 1) {
    w = a;
    x = d;
    y = b;
    z = c;
  } else if (largest === 2) {
    w = a;
    x = b;
    y = d;
    z = c;
  } else {
    w = a;
    x = b;
    y = c;
    z = d;
  }
  out[at] = x * 32767;
  out[at + 1] = y * 32767;
  out[at + 2] = z * 32767;
  out[at + 3] = w * 32767;
}

/** Writes a field of one component as the value that bodies are coloured by. Bodies that are not
 *  there stay so. */
export function applyField(field, pose) {
  const scale = (field.high - field.low) / 65535,
    p = pose.position;
  let n = 0;
  for (let i = 0; i + 1 < field.runs.length; i += 2) {
    const end = field.runs[i] + field.runs[i + 1];
    for (let k = field.runs[i]; k < end && n < field.count; k++, n++)
      if (k < pose.capacity && p[4 * k + 3] >= 0) p[4 * k + 3] = field.low + scale * field.values[n];
  }
}

/** Writes a field of three components to out[3 * index ...]. */
export function applyVectors(field, out) {
  const scale = (field.high - field.low) / 65535;
  let n = 0;
  for (let i = 0; i + 1 < field.runs.length; i += 2) {
    const end = field.runs[i] + field.runs[i + 1];
    for (let k = field.runs[i]; k < end && n < field.count; k++, n++)
      if (3 * k + 2 < out.length)
        for (let c = 0; c < 3; c++) out[3 * k + c] = field.low + scale * field.values[3 * n + c];
  }
}
