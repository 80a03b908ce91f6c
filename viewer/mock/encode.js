// Writes the binary messages of docs/viewer-protocol.md: the other side of src/protocol.js, for the
// unit tests, the mock server and the frame-rate figures. Small and plain, not fast.

function head(buffer, kind, flags, extra, epoch) {
  const view = new DataView(buffer);
  view.setUint8(0, kind);
  view.setUint8(1, flags);
  view.setUint16(2, extra, true);
  view.setUint32(4, epoch, true);
  return view;
}

/** bodies: { index, kind, mass, radius }; balls: { body, material, position, radius }; solids: { body, material, kind, position,
 *  orientation, size, form (left out: 0) }. */
export function encodeBodies(epoch, bodies, balls, solids, last = true) {
  const buffer = new ArrayBuffer(24 + 16 * bodies.length + 24 * balls.length + 68 * solids.length);
  const view = head(buffer, 1, last ? 1 : 0, 0, epoch);
  [bodies.length, balls.length, solids.length].forEach((n, k) => view.setUint32(8 + 4 * k, n, true));
  let at = 24;
  for (const b of bodies) {
    view.setUint32(at, b.index, true);
    view.setUint8(at + 4, b.kind);
    view.setUint16(at + 6, 1, true);
    view.setFloat32(at + 8, b.mass, true);
    view.setFloat32(at + 12, b.radius, true);
    at += 16;
  }
  for (const b of balls) {
    view.setUint32(at, b.body, true);
    view.setUint32(at + 4, b.material, true);
    [...b.position, b.radius].forEach((x, k) => view.setFloat32(at + 8 + 4 * k, x, true));
    at += 24;
  }
  for (const s of solids) {
    [s.body, s.material, s.kind | (s.sensor ? 256 : 0), s.form ?? 0].forEach((x, k) =>
      view.setUint32(at + 4 * k, x, true),
    );
    [...s.position, ...s.orientation, ...s.size].forEach((x, k) => view.setFloat32(at + 16 + 4 * k, x, true));
    at += 68;
  }
  return buffer;
}

/** A part of a form: rows of x, y, z and the normal, and triangles; from `first` = [vertex, triangle] on, of
 *  `whole` = [vertices, triangles]. */
export function encodeGeometry(epoch, form, vertices, triangles, first = [0, 0], whole = null) {
  const [all, faces] = whole ?? [vertices.length, triangles.length],
    buffer = new ArrayBuffer(40 + 24 * vertices.length + 12 * triangles.length),
    last = first[0] + vertices.length === all && first[1] + triangles.length === faces,
    view = head(buffer, 2, last ? 1 : 0, 0, epoch);
  [form, all, faces, first[0], vertices.length, first[1], triangles.length].forEach((n, k) =>
    view.setUint32(8 + 4 * k, n, true),
  );
  new Float32Array(buffer, 40, 6 * vertices.length).set(vertices.flat());
  new Uint32Array(buffer, 40 + 24 * vertices.length).set(triangles.flat());
  return buffer;
}

/** The 32-bit form of a unit quaternion (w, x, y, z). */
export function packTurn(q) {
  let largest = 0;
  for (let k = 1; k < 4; k++) if (Math.abs(q[k]) > Math.abs(q[largest])) largest = k;
  const sign = q[largest] < 0 ? -1 : 1;
  const parts = q.filter((_, k) => k !== largest).map((v) => Math.round(sign * v * Math.SQRT2 * 511) + 511);
  return ((largest << 30) | (parts[0] << 20) | (parts[1] << 10) | parts[2]) >>> 0;
}

/** state: { time, steps, sequence, base, bodies, origin, quantum }; packed: rows { index, position, turn (w, x, y, z) } by rising
 *  index; exact: the same; gone: indices. */
export function encodeFrame(epoch, state, packed, exact = [], gone = [], full = true, runs = null) {
  const words = runs ? runs.length : packed.length;
  const buffer = new ArrayBuffer(88 + 12 * packed.length + 48 * exact.length + 4 * words + 4 * gone.length);
  const view = head(buffer, 3, (full ? 1 : 0) | (runs ? 2 : 0), 0, epoch);
  view.setFloat64(8, state.time, true);
  view.setFloat64(16, state.steps, true);
  view.setUint32(24, state.sequence, true);
  view.setUint32(28, full ? state.sequence : state.base, true);
  view.setUint32(32, state.bodies, true);
  state.origin.forEach((x, k) => view.setFloat64(40 + 8 * k, x, true));
  view.setFloat64(64, state.quantum, true);
  [packed.length, words, exact.length, gone.length].forEach((n, k) => view.setUint32(72 + 4 * k, n, true));
  const exactAt = 88 + 8 * packed.length,
    turnsAt = exactAt + 48 * exact.length,
    wordsAt = turnsAt + 4 * packed.length;
  packed.forEach((row, i) => {
    const [x, y, z] = row.position.map((p, k) => Math.round((p - state.origin[k]) / state.quantum));
    view.setUint32(88 + 8 * i, (x | (y << 21)) >>> 0, true);
    view.setUint32(92 + 8 * i, ((y >>> 11) | (z << 10)) >>> 0, true);
    view.setUint32(turnsAt + 4 * i, packTurn(row.turn), true);
    if (!runs) view.setUint32(wordsAt + 4 * i, row.index, true);
  });
  runs?.forEach((word, i) => view.setUint32(wordsAt + 4 * i, word, true));
  exact.forEach((row, i) => {
    row.position.forEach((x, k) => view.setFloat64(exactAt + 48 * i + 8 * k, x, true));
    row.turn.forEach((x, k) => view.setFloat32(exactAt + 48 * i + 24 + 4 * k, x, true));
    view.setUint32(exactAt + 48 * i + 40, row.index, true);
  });
  gone.forEach((index, i) => view.setUint32(wordsAt + 4 * words + 4 * i, index, true));
  return buffer;
}

/** values: numbers, `components` a body; runs: pairs (first, count). */
export function encodeField(epoch, field, sequence, runs, values, components) {
  const low = Math.min(...values),
    high = Math.max(...values),
    count = values.length / components;
  const buffer = new ArrayBuffer(40 + 4 * runs.length + 2 * values.length);
  const view = head(buffer, 4, field, components, epoch);
  view.setUint32(8, sequence, true);
  view.setUint32(12, count, true);
  view.setFloat64(16, low, true);
  view.setFloat64(24, high, true);
  view.setUint32(32, runs.length, true);
  runs.forEach((word, i) => view.setUint32(40 + 4 * i, word, true));
  values.forEach((v, i) =>
    view.setUint16(
      40 + 4 * runs.length + 2 * i,
      high > low ? Math.round(((v - low) / (high - low)) * 65535) : 0,
      true,
    ),
  );
  return buffer;
}

/** rows: { a, b, point, normal, gap, impulse }. */
export function encodeContacts(epoch, sequence, step, rows) {
  const buffer = new ArrayBuffer(56 + 48 * rows.length);
  const view = head(buffer, 5, 0, 0, epoch);
  view.setUint32(8, sequence, true);
  view.setUint32(12, rows.length, true);
  view.setFloat64(16, rows.length, true);
  view.setFloat64(24, step, true);
  rows.forEach((r, i) => {
    const at = 56 + 48 * i;
    view.setUint32(at, r.a, true);
    view.setUint32(at + 4, r.b, true);
    [...r.point, ...r.normal, r.gap, ...r.impulse].forEach((x, k) =>
      view.setFloat32(at + 8 + 4 * k, x, true),
    );
  });
  return buffer;
}

/** kind 6 (REPORTS) and 7 (SERIES): rows of numbers. */
export function encodeRows(epoch, kind, flags, id, rows, stride = 1) {
  const columns = rows[0]?.length ?? 0,
    at = kind === 6 ? 24 : 16;
  const buffer = new ArrayBuffer(at + 8 * columns * rows.length);
  const view = head(buffer, kind, flags, columns, epoch);
  view.setUint32(8, id, true);
  view.setUint32(12, rows.length, true);
  if (kind === 6) view.setFloat64(16, stride, true);
  rows.flat().forEach((x, i) => view.setFloat64(at + 8 * i, x, true));
  return buffer;
}

/** rows: steps, time, and the last, the least and the greatest value of each channel. */
export function encodeMonitor(epoch, monitor, whole, rows) {
  return encodeRows(epoch, 9, whole ? 1 : 0, monitor, rows); // laid out as a series
}

export function encodeTimes(epoch, first, times) {
  const buffer = new ArrayBuffer(16 + 8 * times.length),
    view = head(buffer, 8, 0, 0, epoch);
  view.setUint32(8, first, true);
  view.setUint32(12, times.length, true);
  times.forEach((t, i) => view.setFloat64(16 + 8 * i, t, true));
  return buffer;
}
