// Which body a ray meets first. Walks over all balls and solids: a million take a few hundredths of a second,
// once a click. Pure.
import { HEIGHTS, PLANE, instanceOf, meshKey, meshOf, vertexOf } from './shapes.js';

/** Whether a solid is looked through: as walls and sensors are, and the ground is not. */
const isWall = (solid, dynamic) => (!dynamic || solid.sensor) && solid.kind !== HEIGHTS;

/** `origin`, `way` (unit): arrays of 3. `cut(x, y, z)`: whether a point is cut away. Returns
 *  { index, distance } or null. Bodies in sight go before walls: containers are looked through. */
export function pickBody(model, origin, way, cut = () => false) {
  const ball = pickBall(model, origin, way, cut),
    solid = pickSolid(model, origin, way, cut, (s, dynamic) => !isWall(s, dynamic)),
    first = nearer(ball, solid);
  if (first && !first.ground) return first;
  return nearer(first, pickSolid(model, origin, way, cut, isWall));
}

const nearer = (a, b) => (!a || (b && b.distance < a.distance) ? b : a);

function pickBall(model, origin, way, cut) {
  const { balls } = model,
    p = [0, 0, 0],
    q = [0, 0, 0, 1],
    c = [0, 0, 0];
  let best = null;
  for (let i = 0; i < balls.count; i++) {
    const index = balls.owner[2 * i],
      radius = balls.local[4 * i + 3];
    if (!model.positionOf(index, p)) continue;
    const x = balls.local[4 * i],
      y = balls.local[4 * i + 1],
      z = balls.local[4 * i + 2];
    if (x !== 0 || y !== 0 || z !== 0) {
      model.turnOf(index, q);
      turn(q, x, y, z, c);
      for (let k = 0; k < 3; k++) p[k] += c[k];
    }
    const dx = p[0] - origin[0],
      dy = p[1] - origin[1],
      dz = p[2] - origin[2];
    const along = dx * way[0] + dy * way[1] + dz * way[2];
    const miss = dx * dx + dy * dy + dz * dz - along * along,
      half = radius * radius - miss;
    if (half < 0) continue;
    const near = along - Math.sqrt(half),
      far = along + Math.sqrt(half);
    let t = near;
    if (t < 0 || cut(origin[0] + t * way[0], origin[1] + t * way[1], origin[2] + t * way[2])) {
      t = far;
      if (t < 0 || cut(origin[0] + t * way[0], origin[1] + t * way[1], origin[2] + t * way[2])) continue;
    }
    if (!best || t < best.distance) best = { index, distance: t };
  }
  return best;
}

/** v turned by (x, y, z, w). */
export function turn(q, x, y, z, out) {
  const tx = 2 * (q[1] * z - q[2] * y),
    ty = 2 * (q[2] * x - q[0] * z),
    tz = 2 * (q[0] * y - q[1] * x);
  out[0] = x + q[3] * tx + q[1] * tz - q[2] * ty;
  out[1] = y + q[3] * ty + q[2] * tx - q[0] * tz;
  out[2] = z + q[3] * tz + q[0] * ty - q[1] * tx;
}

function pickSolid(model, origin, way, cut, wanted) {
  let best = null;
  const p = [0, 0, 0],
    q = [0, 0, 0, 1],
    o = [0, 0, 0],
    d = [0, 0, 0];
  for (const solid of model.solids) {
    if (solid.kind === PLANE || !wanted(solid, model.kind[solid.body] === 0)) continue;
    if (!model.positionOf(solid.body, p)) continue;
    if (passes(origin, way, p, model.radius[solid.body])) continue;
    model.turnOf(solid.body, q);
    // The ray in the mesh's frame: out of the body's pose, then out of the shape's.
    solid.instance ??= instanceOf(solid);
    const back = [-q[0], -q[1], -q[2], q[3]],
      s = solid.instance.turn,
      inner = [-s[0], -s[1], -s[2], s[3]];
    turn(back, origin[0] - p[0], origin[1] - p[1], origin[2] - p[2], o);
    turn(inner, o[0] - solid.position[0], o[1] - solid.position[1], o[2] - solid.position[2], o);
    turn(back, way[0], way[1], way[2], d);
    turn(inner, d[0], d[1], d[2], d);
    const hidden = (t) => cut(origin[0] + t * way[0], origin[1] + t * way[1], origin[2] + t * way[2]);
    const t = meetMesh(meshOf(meshKey(solid), model.forms), solid.instance, o, d, hidden);
    if (t !== null && (!best || t < best.distance))
      best = { index: solid.body, distance: t, ground: solid.kind === HEIGHTS };
  }
  return best;
}

/** Whether a ray passes a ball by. */
function passes(origin, way, p, radius) {
  const to = [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]],
    along = dot(to, way);
  return dot(to, to) - along * along > radius * radius * 1.001;
}

/** The nearest triangle in front of o along d that is not hidden; null: none. */
function meetMesh(mesh, instance, o, d, hidden) {
  const a = [0, 0, 0],
    b = [0, 0, 0],
    c = [0, 0, 0];
  let best = null;
  for (let i = 0; i < mesh.index.length; i += 3) {
    vertexOf(mesh, instance, mesh.index[i], a);
    vertexOf(mesh, instance, mesh.index[i + 1], b);
    vertexOf(mesh, instance, mesh.index[i + 2], c);
    for (let k = 0; k < 3; k++) {
      b[k] -= a[k];
      c[k] -= a[k];
      a[k] = o[k] - a[k];
    }
    const n = cross(b, c),
      along = -dot(n, d);
    if (along === 0) continue;
    const t = dot(n, a) / along,
      m = cross(d, a),
      u = -dot(c, m) / along,
      v = dot(b, m) / along;
    const meets = t > 0 && u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9;
    if (meets && (best === null || t < best) && !hidden(t)) best = t;
  }
  return best;
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
