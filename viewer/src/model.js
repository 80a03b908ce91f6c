// What the page knows: the table of bodies, the frames it holds, and the two of them that surround the
// time on screen. Pure (no DOM, no three.js): main.js feeds it decoded messages, render/view.js and
// the panels read it.
import { Pose, applyFrame, applyField, applyVectors } from './protocol.js';
import { nlerp } from './interpolate.js';
import { PLANE, instanceOf, meshKey, meshOf, sizeOf, vertexOf } from './shapes.js';

const ROW = 2048; // bodies a row of a texture: capacities are multiples of this
const CACHE_BYTES = 256 * 2 ** 20;

function grown(array, length) {
  if (array.length >= length) return array;
  const next = new array.constructor(16 * Math.ceil(Math.max(length, 1.5 * array.length) / 16));
  next.set(array);
  return next;
}

/** The same for `width` numbers an item, in whole rows of a texture. */
function grownRows(array, width, items) {
  if (array.length >= width * items) return array;
  const next = new array.constructor(
    width * ROW * Math.ceil(Math.max(items, (1.5 * array.length) / width) / ROW),
  );
  next.set(array);
  return next;
}

export class Model {
  constructor() {
    this.reset(null);
  }

  /** Forgets everything; `hello` opens a new session. */
  reset(hello) {
    this.hello = hello;
    this.epoch = hello?.epoch ?? -1;
    this.names = new Map();
    this.known = 0; // one more than the largest index
    this.kind = new Uint8Array(ROW);
    this.mass = new Float32Array(ROW);
    this.radius = new Float32Array(ROW);
    this.balls = {
      count: 0,
      local: new Float32Array(4 * ROW),
      owner: new Uint32Array(2 * ROW),
      version: 0,
      low: Infinity,
      high: 0,
    };
    this.solids = [];
    this.solidVersion = 0;
    this.solidBodies = new Set(); // fixed and prescribed ones that have solids
    this.forms = new Map(); // meshes of geometries, by their number
    this.loading = null; // the one whose parts are coming
    this.materials = new Set(); // of shapes that show theirs
    this.capacity = this.roundedCapacity((hello?.bodies ?? 0) + 1);
    this.frames = new Map(); // by sequence; recordings: a cache
    this.spare = [];
    this.pending = { fields: [], contacts: null };
    this.times = new Float64Array(0);
    this.from = this.to = null; // the frames shown, and how far from one to the other
    this.mix = 1;
    this.version = 0; // goes up with whatever is shown
  }

  get recording() {
    return this.hello?.kind === 'recording';
  }

  /** The word for the kind of a body. */
  kindOf(index) {
    return this.hello?.words.body[this.kind[index]];
  }

  roundedCapacity(count) {
    return ROW * Math.ceil(Math.max(1, count) / ROW);
  }

  /** Takes a part of the table of bodies. */
  addBodies(message) {
    const { bodies, count } = message;
    const top = count ? bodies.index[count - 1] + 1 : 0;
    this.kind = grown(this.kind, top);
    this.mass = grown(this.mass, top);
    this.radius = grown(this.radius, top);
    for (let i = 0; i < count; i++) {
      const index = bodies.index[i];
      this.kind[index] = bodies.kind[i];
      this.mass[index] = bodies.mass[i];
      this.radius[index] = bodies.radius[i];
    }
    this.known = Math.max(this.known, top);
    this.addBalls(message);
    for (const solid of message.solids) this.addSolid(solid);
    if (message.solids.length) this.solidVersion++;
    if (this.known > this.capacity) this.grow(this.roundedCapacity(Math.ceil(1.5 * this.known)));
  }

  addSolid(solid) {
    const dynamic = this.kind[solid.body] === 0,
      key = meshKey(solid),
      b = this.balls;
    if (solid.kind !== PLANE && (key === null || !meshOf(key, this.forms))) return; // a kind that came later
    solid.extent = sizeOf(solid, this.forms);
    this.solids.push(solid);
    if (!dynamic) this.solidBodies.add(solid.body);
    if (!dynamic || solid.sensor) return; // drawn as a wall, without a colour or size of its own
    this.materials.add(solid.material);
    b.low = Math.min(b.low, solid.extent);
    b.high = Math.max(b.high, solid.extent);
  }

  /** Takes a part of a geometry's vertices and triangles; it is there when the last part is. */
  addGeometry({ form, vertices, triangles, firstVertex, firstTriangle, points, corners, last }) {
    const f = this.loading?.form === form ? this.loading : { form };
    if (!f.inner) {
      Object.assign(f, {
        inner: new Float32Array(3 * vertices),
        dir: new Float32Array(3 * vertices),
        uv: new Float32Array(2 * vertices).fill(-1),
        index: new Uint32Array(3 * triangles),
        reach: 0,
      });
      this.loading = f;
    }
    for (let i = 0; i < points.length / 6; i++) {
      f.inner.set(points.subarray(6 * i, 6 * i + 3), 3 * (firstVertex + i));
      f.dir.set(points.subarray(6 * i + 3, 6 * i + 6), 3 * (firstVertex + i));
      f.reach = Math.max(f.reach, Math.hypot(points[6 * i], points[6 * i + 1], points[6 * i + 2]));
    }
    f.index.set(corners, 3 * firstTriangle);
    if (!last) return;
    this.loading = null;
    this.forms.set(form, f);
  }

  addBalls({ ballCount, ballWords, ballNumbers }) {
    const b = this.balls;
    b.local = grownRows(b.local, 4, b.count + ballCount);
    b.owner = grownRows(b.owner, 2, b.count + ballCount);
    for (let i = 0; i < ballCount; i++) {
      const from = 6 * i,
        n = b.count + i,
        radius = ballNumbers[from + 5];
      if (this.kind[ballWords[from]] === 0) this.materials.add(ballWords[from + 1]);
      b.owner[2 * n] = ballWords[from];
      b.owner[2 * n + 1] = Math.min(255, ballWords[from + 1]) | (this.kind[ballWords[from]] === 0 ? 0 : 256);
      for (let k = 0; k < 4; k++) b.local[4 * n + k] = ballNumbers[from + 2 + k];
      if (radius < b.low) b.low = radius;
      if (radius > b.high) b.high = radius;
    }
    b.count += ballCount;
    if (ballCount) b.version++;
  }

  /** More bodies than there is room for: what is shown moves to larger arrays. */
  grow(capacity) {
    this.capacity = capacity;
    for (const frame of new Set([this.from, this.to, ...this.frames.values()])) {
      if (!frame) continue;
      const pose = new Pose(capacity);
      pose.copy(frame.pose);
      frame.pose = pose;
      frame.version++;
    }
    this.spare.length = 0;
  }

  addNames(list) {
    for (const [index, name] of list) this.names.set(index, name);
  }

  nameOf(index) {
    return this.names.get(index) ?? `body ${index}`;
  }

  addTimes({ first, times }) {
    const all = new Float64Array(Math.max(this.times.length, first + times.length));
    all.set(this.times);
    all.set(times, first);
    this.times = all;
  }

  /** How many frames of a recording are kept. */
  get cacheSize() {
    return Math.max(6, Math.min(2000, Math.floor(CACHE_BYTES / (24 * this.capacity))));
  }

  /** Closes a group. Returns the new frame, or null where its base is not at hand. `wanted` names the
   *  field that becomes the value to colour by. */
  addFrame(message, wanted) {
    const base = message.full ? null : this.frames.get(message.base);
    const pending = this.pending;
    this.pending = { fields: [], contacts: null };
    if (!message.full && !base) return null;
    const frame = this.spare.pop() ?? { pose: new Pose(this.capacity), version: 0, velocity: null };
    if (base) frame.pose.copy(base.pose);
    applyFrame(message, frame.pose);
    Object.assign(frame, {
      time: message.time,
      steps: message.steps,
      sequence: message.sequence,
      count: message.bodies,
      contacts: pending.contacts,
      high: 0,
      field: '',
      hasVelocity: false,
    });
    frame.version++;
    for (const field of pending.fields) {
      if (field.field === wanted) {
        applyField(field, frame.pose);
        frame.high = field.high;
        frame.field = wanted;
      } else if (field.field === 'velocity') {
        if (!frame.velocity || frame.velocity.length < 3 * this.capacity)
          frame.velocity = new Float32Array(3 * this.capacity);
        applyVectors(field, frame.velocity);
        frame.hasVelocity = true;
      }
    }
    this.keep(frame);
    return frame;
  }

  keep(frame) {
    const old = this.frames.get(frame.sequence);
    this.frames.delete(frame.sequence); // so that it becomes the youngest
    this.frames.set(frame.sequence, frame);
    if (old && old !== frame) {
      if (this.from === old) this.from = frame;
      if (this.to === old) this.to = frame;
      this.free(old);
    }
    if (!this.recording) {
      this.from = this.to ?? frame;
      this.to = frame;
    }
    const most = this.recording ? this.cacheSize : 2;
    for (const [sequence, other] of this.frames) {
      if (this.frames.size <= most) break;
      if (other === this.from || other === this.to || other === frame) continue;
      this.frames.delete(sequence);
      this.free(other);
    }
    this.version++;
  }

  free(frame) {
    if (frame.pose.capacity === this.capacity && this.spare.length < 3) this.spare.push(frame);
  }

  /** Shows a place between two frames that are held. */
  show(from, to, mix) {
    if (from === this.from && to === this.to && mix === this.mix) return;
    Object.assign(this, { from, to, mix });
    this.version++;
  }

  get time() {
    return this.to ? this.from.time + (this.to.time - this.from.time) * this.mix : 0;
  }

  /** Whether a body is there now. */
  has(index) {
    return (
      this.to !== null &&
      Number.isInteger(index) &&
      index > 0 &&
      (this.to.pose.has(index) || (this.mix < 0.5 && this.from.pose.has(index)))
    );
  }

  /** Where body `index` is on screen now, to out[0..2]; false if it is not there. */
  positionOf(index, out) {
    if (!this.has(index)) return false;
    const a = this.from.pose,
      b = this.to.pose,
      at = 4 * index;
    if (!a.has(index)) for (let k = 0; k < 3; k++) out[k] = b.position[at + k];
    else if (!b.has(index)) for (let k = 0; k < 3; k++) out[k] = a.position[at + k];
    else
      for (let k = 0; k < 3; k++)
        out[k] = a.position[at + k] + (b.position[at + k] - a.position[at + k]) * this.mix;
    return true;
  }

  /** How it is turned: (x, y, z, w) to out[0..3]. */
  turnOf(index, out) {
    nlerp(this.from.pose.turn, this.to.pose.turn, 4 * index, this.mix, out);
  }

  /** The box of all bodies that are there and bounded, { low, high }, and the same without the few that flew
   *  far off in `near`; null where there are none. */
  bounds() {
    if (!this.to) return null;
    const sum = [0, 0, 0],
      square = [0, 0, 0],
      box = { low: [1e300, 1e300, 1e300], high: [-1e300, -1e300, -1e300] };
    const p = this.to.pose.position;
    let n = 0;
    for (let i = 1; i < this.known; i++) {
      const r = this.radius[i];
      if (!(p[4 * i + 3] >= 0) || !(r < 1e30) || this.solidBodies.has(i)) continue;
      n++;
      for (let k = 0; k < 3; k++) {
        const x = p[4 * i + k];
        sum[k] += x;
        square[k] += x * x;
        if (x - r < box.low[k]) box.low[k] = x - r;
        if (x + r > box.high[k]) box.high[k] = x + r;
      }
    }
    const near = { low: [...box.low], high: [...box.high] };
    if (n > 50)
      for (let k = 0; k < 3; k++) {
        const mean = sum[k] / n,
          spread = 6 * Math.sqrt(Math.max(0, square[k] / n - mean * mean));
        near.low[k] = Math.max(near.low[k], mean - spread - this.balls.high);
        near.high[k] = Math.min(near.high[k], mean + spread + this.balls.high);
      }
    for (const point of this.solidCorners()) {
      n++;
      for (const { low, high } of [box, near])
        for (let k = 0; k < 3; k++) {
          low[k] = Math.min(low[k], point[k]);
          high[k] = Math.max(high[k], point[k]);
        }
    }
    return n === 0 ? null : { ...box, near };
  }

  /** The corners of boxes around solids of fixed and prescribed bodies, and the balls of these, in the world. */
  *solidCorners() {
    const { position, turn } = this.to.pose;
    const place = (index, local) => {
      const q = [0, 1, 2, 3].map((k) => turn[4 * index + k] / 32767);
      return turned(q, local).map((x, k) => x + position[4 * index + k]);
    };
    for (const s of this.solids) {
      if (s.kind === PLANE || !this.solidBodies.has(s.body) || !this.to.pose.has(s.body)) continue;
      s.corners ??= cornersOf(s, this.forms);
      for (const corner of s.corners) yield place(s.body, corner);
    }
    const { count, owner, local } = this.balls;
    for (let i = 0; i < count && this.solidBodies.size; i++) {
      const body = owner[2 * i];
      if (!this.solidBodies.has(body) || !this.to.pose.has(body)) continue;
      const centre = place(body, [local[4 * i], local[4 * i + 1], local[4 * i + 2]]);
      yield centre.map((x) => x - local[4 * i + 3]);
      yield centre.map((x) => x + local[4 * i + 3]);
    }
  }
}

/** The corners of the box around a solid, in its body's frame. */
function cornersOf(solid, forms) {
  const instance = instanceOf(solid),
    mesh = meshOf(meshKey(solid), forms),
    low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity],
    p = [0, 0, 0];
  for (let i = 0; i < mesh.inner.length / 3; i++) {
    vertexOf(mesh, instance, i, p);
    for (let k = 0; k < 3; k++) {
      if (p[k] < low[k]) low[k] = p[k];
      if (p[k] > high[k]) high[k] = p[k];
    }
  }
  return Array.from({ length: 8 }, (_, corner) =>
    turned(
      instance.turn,
      [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k] : low[k])),
    ).map((x, k) => x + solid.position[k]),
  );
}

/** A vector turned by (x, y, z, w). */
function turned([x, y, z, w], [a, b, c]) {
  const tx = 2 * (y * c - z * b),
    ty = 2 * (z * a - x * c),
    tz = 2 * (x * b - y * a);
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}
