// Surfaces of shapes: one mesh for each kind of solid, which an instance stretches. A vertex is a point of an
// inner part, times the instance's `core`, and a direction times its `round`: so a capsule of any length or a
// box with any rounding is the same mesh. Pure: render/solids.js draws these, pick.js meets rays with them.

/** The kinds of solid, by their number in BODIES. */
export const PLANE = 1,
  BOX = 2,
  PATCH = 3,
  CAPSULE = 4,
  CYLINDER = 5,
  CONE = 6,
  ELLIPSOID = 7,
  HULL = 8,
  MESH = 9,
  HEIGHTS = 10;

/** Edges of a full circle; a multiple of 4. */
const SEGMENTS = 24;

/** Cosine and sine of part i of n of a circle, exact at quarters. */
function circle(i, n) {
  const quarter = n / 4,
    rest = i % quarter,
    a = (2 * Math.PI * rest) / n,
    x = rest ? Math.cos(a) : 1,
    y = rest ? Math.sin(a) : 0;
  return [
    [x, y],
    [-y, x],
    [-x, -y],
    [y, -x],
  ][Math.floor(i / quarter) % 4];
}

class Builder {
  constructor() {
    Object.assign(this, { inner: [], dir: [], uv: [], index: [], count: 0 });
  }

  /** `uv`: place on a face whose edges show; left out: a smooth surface without edges. */
  vertex(inner, dir, uv = [-1, -1]) {
    this.inner.push(...inner);
    this.dir.push(...dir);
    this.uv.push(...uv);
    return this.count++;
  }

  quad(a, b, c, d) {
    this.index.push(a, b, c, a, c, d);
  }

  /** Without triangles whose corners are at one place whatever the instance is. */
  mesh() {
    const same = (a, b) => {
      for (let k = 0; k < 3; k++)
        if (
          this.inner[3 * a + k] !== this.inner[3 * b + k] ||
          (this.round && this.dir[3 * a + k] !== this.dir[3 * b + k])
        )
          return false;
      return true;
    };
    const index = [];
    for (let i = 0; i < this.index.length; i += 3) {
      const [a, b, c] = this.index.slice(i, i + 3);
      if (!same(a, b) && !same(b, c) && !same(c, a)) index.push(a, b, c);
    }
    return {
      inner: new Float32Array(this.inner),
      dir: new Float32Array(this.dir),
      uv: new Float32Array(this.uv),
      index: new Uint32Array(index),
    };
  }
}

/** A profile of [radius, z, direction's radius, direction's z], turned about z. */
function revolved(profile, round) {
  const b = new Builder();
  b.round = round;
  for (const [r, z, dr, dz] of profile)
    for (let k = 0; k < SEGMENTS; k++) {
      const [c, s] = circle(k, SEGMENTS);
      b.vertex([r * c, r * s, z], [dr * c, dr * s, dz]);
    }
  for (let i = 0; i + 1 < profile.length; i++)
    for (let k = 0; k < SEGMENTS; k++) {
      const a = i * SEGMENTS + k,
        n = i * SEGMENTS + ((k + 1) % SEGMENTS);
      b.quad(a, n, n + SEGMENTS, a + SEGMENTS);
    }
  return b.mesh();
}

/** Directions from downward to outward (part 3) or from outward to upward (part 0). */
function quarter(part, steps, make) {
  return Array.from({ length: steps + 1 }, (_, i) => make(...circle(part * steps + i, 4 * steps)));
}

function cylinder(steps, round) {
  return revolved(
    [
      [0, -1, 0, -1],
      ...quarter(3, steps, (c, s) => [1, -1, c, s]),
      ...quarter(0, steps, (c, s) => [1, 1, c, s]),
      [0, 1, 0, 1],
    ],
    round,
  );
}

function capsule() {
  return revolved(
    [
      ...quarter(3, SEGMENTS / 4, (c, s) => [0, -1, c, s]),
      ...quarter(0, SEGMENTS / 4, (c, s) => [0, 1, c, s]),
    ],
    true,
  );
}

/** Affine: directions are those of the unit form; an instance divides them by its core. */
function ellipsoid() {
  const arc = (part) => quarter(part, SEGMENTS / 4, (c, s) => [c, s, c, s]);
  return revolved([...arc(3), ...arc(0).slice(1)], false);
}

function cone() {
  return revolved(
    [
      [0, -1, 0, -1],
      [1, -1, 0, -1],
      [1, -1, 1, 0.5],
      [0, 1, 1, 0.5],
    ],
    false,
  );
}

/** A globe cut along the equator and four meridians, its parts at the corners of the inner box. */
function roundedBox() {
  const b = new Builder(),
    steps = 3,
    step = steps + 1,
    columns = 4 * step,
    rows = 2 * step;
  b.round = true;
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < columns; k++) {
      const part = Math.floor(k / step),
        upper = i >= step,
        [c, z] = circle(upper ? i - step : 3 * steps + i, 4 * steps),
        [x, y] = circle(k - part, 4 * steps);
      b.vertex([part === 0 || part === 3 ? 1 : -1, part < 2 ? 1 : -1, upper ? 1 : -1], [c * x, c * y, z]);
    }
  for (let i = 0; i + 1 < rows; i++)
    for (let k = 0; k < columns; k++) {
      const a = i * columns + k,
        n = i * columns + ((k + 1) % columns);
      b.quad(a, n, n + columns, a + columns);
    }
  const top = (rows - 1) * columns;
  b.quad(3 * step, 2 * step, step, 0);
  b.quad(top, top + step, top + 2 * step, top + 3 * step);
  return b.mesh();
}

function box() {
  const b = new Builder();
  for (let axis = 0; axis < 3; axis++)
    for (const sign of [1, -1]) {
      const u = (axis + 1) % 3,
        v = (axis + 2) % 3,
        dir = [0, 0, 0];
      dir[axis] = sign;
      const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(([p, q]) => {
        const at = [0, 0, 0];
        at[axis] = sign;
        at[u] = sign * p;
        at[v] = q;
        return b.vertex(at, dir, [(p + 1) / 2, (q + 1) / 2]);
      });
      b.quad(...corners);
    }
  return b.mesh();
}

function patch() {
  const b = new Builder();
  const corners = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ].map(([u, v]) => b.vertex([u, v, 0], [0, 0, 1], [u, v]));
  b.quad(...corners);
  return b.mesh();
}

const made = new Map();
const MAKERS = {
  box,
  patch,
  capsule,
  cone,
  ellipsoid,
  roundedBox,
  cylinder: () => cylinder(1, false),
  roundedCylinder: () => cylinder(SEGMENTS / 4, true),
};

/** Which mesh a solid has: a name, or the number of a form; null for kinds that are not known. */
export function meshKey({ kind, size, form }) {
  switch (kind) {
    case BOX:
      return size[3] > 0 ? 'roundedBox' : 'box';
    case PATCH:
      return 'patch';
    case CAPSULE:
      return 'capsule';
    case CYLINDER:
      return size[2] > 0 ? 'roundedCylinder' : 'cylinder';
    case CONE:
      return 'cone';
    case ELLIPSOID:
      return 'ellipsoid';
    case HULL:
    case MESH:
    case HEIGHTS:
      return form;
    default:
      return null;
  }
}

/** The mesh of a key: { inner, dir, uv, index }; `forms` holds those of geometries. null: not there. */
export function meshOf(key, forms) {
  if (typeof key === 'number') return forms.get(key) ?? null;
  if (!made.has(key)) made.set(key, MAKERS[key]());
  return made.get(key);
}

/** What an instance is: { core: [x, y, z], round, turn: (x, y, z, w), shear, affine, rod }. */
export function instanceOf({ kind, size, orientation }) {
  const [w, x, y, z] = orientation,
    plain = { core: [1, 1, 1], round: 0, turn: [x, y, z, w], shear: 0, affine: false, rod: false };
  switch (kind) {
    case BOX:
      return { ...plain, core: size.slice(0, 3).map((h) => h - size[3]), round: size[3] };
    case CAPSULE:
      // A rod has the bodies that it is between; the shader knows how far they are apart.
      return { ...plain, core: [size[4] ?? 0, size[5] ?? 0, size[1]], round: size[0], rod: size[5] > 0 };
    case CYLINDER: {
      const r = size[0] - size[2];
      return { ...plain, core: [r, r, size[1] - size[2]], round: size[2] };
    }
    case CONE:
      return { ...plain, core: [size[0], size[0], size[1]], affine: true };
    case ELLIPSOID:
      return { ...plain, core: size.slice(0, 3), affine: true };
    case PATCH:
      return { ...plain, ...patchInstance(size, plain.turn) };
    default:
      return plain;
  }
}

/** The frame of a parallelogram: x along its first edge, y across it; the second edge leans by `shear`. */
function patchInstance(size, turn) {
  const u = size.slice(0, 3),
    v = size.slice(3, 6),
    length = Math.hypot(...u) || 1,
    x = u.map((c) => c / length),
    lean = dot(x, v),
    rest = v.map((c, k) => c - lean * x[k]),
    width = Math.hypot(...rest) || 1,
    y = rest.map((c) => c / width),
    z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
  return { core: [length, width, 1], shear: lean, turn: joined(turn, quaternion(x, y, z)) };
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** First b, then a: (x, y, z, w). */
function joined([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** The rotation that takes the axes to these: (x, y, z, w). */
function quaternion(x, y, z) {
  const four = [
    1 + x[0] - y[1] - z[2],
    1 - x[0] + y[1] - z[2],
    1 - x[0] - y[1] + z[2],
    1 + x[0] + y[1] + z[2],
  ];
  const sum = [
    [0, x[1] + y[0], x[2] + z[0], y[2] - z[1]],
    [x[1] + y[0], 0, y[2] + z[1], z[0] - x[2]],
    [x[2] + z[0], y[2] + z[1], 0, x[1] - y[0]],
    [y[2] - z[1], z[0] - x[2], x[1] - y[0], 0],
  ];
  const k = four.indexOf(Math.max(...four)),
    q = sum[k].map((s, i) => (i === k ? four[k] : s)),
    length = Math.hypot(...q);
  return q.map((c) => c / length);
}

/** Vertex i of a mesh as an instance has it, in the frame of instance.turn, to out[0..2]. */
export function vertexOf(mesh, { core, round, shear }, i, out) {
  for (let k = 0; k < 3; k++) out[k] = mesh.inner[3 * i + k] * core[k] + mesh.dir[3 * i + k] * round;
  out[0] += shear * mesh.inner[3 * i + 1];
}

/** How far a solid reaches from its own origin; what "size" colours by. `forms` as in meshOf. */
export function sizeOf(solid, forms) {
  const { kind, size } = solid;
  switch (kind) {
    case ELLIPSOID:
      return Math.max(size[0], size[1], size[2]);
    case PATCH:
      return Math.hypot(...size.slice(0, 3)) + Math.hypot(...size.slice(3, 6));
    case BOX:
    case CAPSULE:
    case CYLINDER:
    case CONE: {
      const { core, round } = instanceOf(solid);
      return Math.hypot(core[0], kind === BOX ? core[1] : 0, core[2]) + round;
    }
    default:
      return forms.get(solid.form)?.reach ?? 0;
  }
}
