// What is drawn over the bodies: contact points, force chains, velocity arrows, the spring of a dragged
// body, joints. All are ribbons whose ends follow the bodies as they are shown.
import * as THREE from 'three';
import { Ribbons } from './ribbons.js';
import { roundUp } from '../colours.js';

const MOST_ARROWS = 200000;

const COILS = 13; // strokes of a spring

export class Overlays {
  constructor(shared, ramp) {
    this.chains = new Ribbons(shared, { ramp });
    this.points = new Ribbons(shared, { colour: 0xe8793a, onTop: true });
    this.arrows = new Ribbons(shared, { head: true, ramp });
    this.spring = new Ribbons(shared, { colour: 0xf0a020, head: true, onTop: true });
    this.joints = new Ribbons(shared, { colour: 0x35a7c9, onTop: true });
    this.group = new THREE.Group().add(
      this.chains.mesh,
      this.points.mesh,
      this.arrows.mesh,
      this.spring.mesh,
      this.joints.mesh,
    );
    this.show = { contacts: false, chains: false, arrows: false, joints: true };
    this.drag = null; // { body, target }
    this.chainTop = 0; // N, from which chains are red
    this.clear();
  }

  clear() {
    for (const r of [this.chains, this.points, this.arrows, this.spring, this.joints]) {
      r.begin(0);
      r.end();
    }
  }

  update(model, bounds) {
    const near = model.mix < 0.5 ? model.from : model.to;
    const contacts = near.contacts ?? model.to.contacts;
    this.updateContacts(model, this.show.contacts || this.show.chains ? contacts : null, bounds);
    this.updateArrows(model, near);
    this.updateSpring(model);
    this.updateJoints(model, bounds);
  }

  /** A stroke along the z-axis of each joint, lines to what it joins, and the rope of a pulley. */
  updateJoints(model, bounds) {
    const { joints } = this,
      list = this.show.joints ? (model.hello?.joints ?? []) : [];
    if (!list.length && !joints.count) return;
    const half = 0.5 * Math.max(2 * model.balls.low, bounds.radius * 0.02),
      a = [0, 0, 0],
      b = [0, 0, 0],
      z = [0, 0, 0];
    joints.begin((4 + COILS) * list.length);
    for (const joint of list) {
      if (!frameOf(model, joint.a, a, z) || !frameOf(model, joint.b, b, null)) continue;
      const [x, y, w] = z.map((c) => half * c);
      joints.add(a[0] - x, a[1] - y, a[2] - w, a[0] + x, a[1] + y, a[2] + w, 2.4, 0);
      if (joint.anchors) {
        const [p, q] = joint.anchors;
        joints.add(...a, ...p, 1.6, 0);
        joints.add(...p, ...q, 1.6, 0);
        joints.add(...q, ...b, 1.6, 0);
      } else if (joint.spring) {
        coil(joints, a, b, half);
      } else if (Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > 0.1 * half) {
        joints.add(...a, ...b, 1.6, 0);
      }
    }
    joints.end();
  }

  updateContacts(model, contacts, bounds) {
    const { chains, points, show } = this;
    const n = contacts?.count ?? 0;
    chains.begin(show.chains ? n : 0);
    points.begin(show.contacts ? n : 0);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += impulse(contacts, i);
    this.chainTop = show.chains && n ? roundUp((4 * sum) / n / contacts.step) : 0;
    const mean = n ? (this.chainTop > 0 ? (this.chainTop * contacts.step) / 4 : sum / n) : 1,
      a = [0, 0, 0],
      b = [0, 0, 0],
      tick = Math.max(model.balls.low * 0.4, bounds.radius * 0.002);
    for (let i = 0; i < n; i++) {
      const at = 12 * i,
        f = contacts.numbers,
        s = mean > 0 ? impulse(contacts, i) / mean : 0;
      const x = f[at + 2] + contacts.origin[0],
        y = f[at + 3] + contacts.origin[1],
        z = f[at + 4] + contacts.origin[2];
      if (show.contacts) {
        // a short stroke along the normal
        const h = 0.5 * tick;
        points.add(
          x - h * f[at + 5],
          y - h * f[at + 6],
          z - h * f[at + 7],
          x + h * f[at + 5],
          y + h * f[at + 6],
          z + h * f[at + 7],
          1.6,
          0,
        );
      }
      if (!show.chains || s < 0.05) continue;
      const ia = contacts.words[at],
        ib = contacts.words[at + 1];
      if (!model.positionOf(ia, a)) continue;
      if (model.kind[ib] !== 0 || !model.positionOf(ib, b)) {
        b[0] = x;
        b[1] = y;
        b[2] = z;
      }
      chains.add(
        a[0],
        a[1],
        a[2],
        b[0],
        b[1],
        b[2],
        Math.min(9, 0.6 + 1.6 * Math.sqrt(s)),
        Math.min(1, s / 4),
      );
    }
    chains.end();
    points.end();
  }

  updateArrows(model, near) {
    const { arrows } = this;
    if (!this.show.arrows || !near.hasVelocity) {
      if (arrows.count) {
        arrows.begin(0);
        arrows.end();
      }
      return;
    }
    const v = near.velocity,
      p = [0, 0, 0];
    let top = 0,
      n = 0;
    for (let i = 1; i < model.known; i++) {
      if (model.kind[i] !== 0 || !near.pose.has(i)) continue;
      top = Math.max(top, Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
      n++;
    }
    arrows.begin(Math.min(n, MOST_ARROWS));
    const length = top > 0 ? (6 * model.balls.high) / top : 0,
      stride = Math.ceil(n / MOST_ARROWS);
    for (let i = 1, k = 0; i < model.known && arrows.count < MOST_ARROWS; i++) {
      if (model.kind[i] !== 0 || !near.pose.has(i) || k++ % stride || !model.positionOf(i, p)) continue;
      const x = v[3 * i],
        y = v[3 * i + 1],
        z = v[3 * i + 2],
        speed = Math.hypot(x, y, z);
      if (speed < 0.01 * top || !(speed > 0)) continue;
      const from = this.surface(model, i) / speed,
        l = from + length;
      arrows.add(
        p[0] + from * x,
        p[1] + from * y,
        p[2] + from * z,
        p[0] + l * x,
        p[1] + l * y,
        p[2] + l * z,
        1.2,
        speed / top,
      );
    }
    arrows.end();
  }

  /** Arrows start at the surface, where they can be seen. */
  surface(model, index) {
    return Number.isFinite(model.radius[index]) ? model.radius[index] : 0;
  }

  updateSpring(model) {
    const p = [0, 0, 0],
      on = this.drag !== null && model.positionOf(this.drag.body, p);
    if (!on && !this.spring.count) return;
    this.spring.begin(1);
    if (on) this.spring.add(...p, ...this.drag.target, 1.6, 0);
    this.spring.end();
  }
}

/** A spring from a to b: strokes to and fro across the line between them. */
function coil(ribbons, a, b, half) {
  const way = [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
    length = Math.hypot(...way),
    wide = length > 0 ? Math.min(0.6 * half, 0.2 * length) / length : 0,
    flat = Math.hypot(way[0], way[1]),
    across = flat > 0.1 * length ? [-way[1], way[0], 0].map((c) => (c * length) / flat) : [length, 0, 0];
  let from = a;
  for (let i = 1; i <= COILS; i++) {
    const part = i < COILS ? (i - 0.5) / (COILS - 1) : 1,
      side = i < COILS ? (i % 2 ? wide : -wide) : 0,
      to = [0, 1, 2].map((k) => a[k] + part * way[k] + side * across[k]);
    ribbons.add(...from, ...to, 1.6, 0);
    from = to;
  }
}

/** Where a frame of a joint is on screen: its origin, and its z-axis; false where its body is gone. */
export function frameOf(model, frame, at, axis) {
  const turn = [0, 0, 0, 1],
    origin = [0, 0, 0];
  if (frame.body && !model.positionOf(frame.body, origin)) return false;
  if (frame.body) model.turnOf(frame.body, turn);
  turned(turn, frame.at, at);
  for (let k = 0; k < 3; k++) at[k] += origin[k];
  if (axis) turned(turn, frame.axis, axis);
  return true;
}

/** v turned by (x, y, z, w), to out. */
function turned([x, y, z, w], v, out) {
  const a = 2 * (y * v[2] - z * v[1]),
    b = 2 * (z * v[0] - x * v[2]),
    c = 2 * (x * v[1] - y * v[0]);
  out[0] = v[0] + w * a + y * c - z * b;
  out[1] = v[1] + w * b + z * a - x * c;
  out[2] = v[2] + w * c + x * b - y * a;
}

function impulse(contacts, i) {
  const f = contacts.numbers,
    at = 12 * i + 9;
  return Math.hypot(f[at], f[at + 1], f[at + 2]);
}
