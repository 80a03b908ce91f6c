// The pointer on the scene: turning, moving and zooming the camera, picking, dragging, pushing and
// throwing. Mouse, pen and fingers go the same way.
import * as THREE from 'three';
import { pickBody } from '../pick.js';

const CLICK_PIXELS = 5;
const DRAG_EVERY = 30; // ms between two commands of a drag

export class Pointer {
  constructor(app, canvas) {
    Object.assign(this, { app, canvas, pointers: new Map(), mode: null });
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', (e) => this.up(e, true));
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
  }

  /** -1 to 1 in the picture. */
  place(e) {
    const r = this.canvas.getBoundingClientRect();
    return [((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2];
  }

  ray(e) {
    const origin = new THREE.Vector3(),
      way = new THREE.Vector3();
    this.app.view.camera.ray(...this.place(e), origin, way);
    return { origin: origin.toArray(), way: way.toArray() };
  }

  hit(e) {
    const { origin, way } = this.ray(e),
      cut = this.app.view.cutPlane();
    if (!cut) return pickBody(this.app.model, origin, way);
    const { normal: n, at } = cut;
    return pickBody(this.app.model, origin, way, (x, y, z) => n.x * x + n.y * y + n.z * z > at);
  }

  tool(e) {
    if (!this.app.can('edit')) return 'look';
    if (e.shiftKey) return 'drag';
    if (e.ctrlKey || e.metaKey) return 'push';
    if (e.altKey) return 'throw';
    return this.app.options.tool;
  }

  down(e) {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY, startX: e.clientX, startY: e.clientY });
    if (this.pointers.size === 2) {
      this.app.release();
      this.mode = 'pinch';
      return;
    }
    if (this.pointers.size > 2) return;
    this.travel = 0;
    this.mode = e.button === 2 || e.button === 1 ? 'pan' : 'orbit';
    this.startTool = e.button === 0 ? this.tool(e) : 'look';
    if (this.startTool === 'drag') {
      const hit = this.hit(e);
      if (hit && this.app.model.kind[hit.index] === 0) this.startDrag(hit.index, e);
    }
    this.canvas.classList.add('holding');
  }

  startDrag(body, e) {
    this.mode = 'drag';
    this.app.pick(body);
    const at = [0, 0, 0];
    this.app.model.positionOf(body, at);
    this.dragged = { body, sent: 0, depth: at };
    this.dragTo(e);
  }

  dragTo(e) {
    const d = this.dragged,
      target = this.app.view.pointAtDepth(...this.place(e), d.depth);
    const now = performance.now();
    clearTimeout(d.later);
    if (now - d.sent >= DRAG_EVERY) {
      d.sent = now;
      this.app.drag(d.body, target);
    } else
      d.later = setTimeout(() => {
        if (this.mode === 'drag') this.app.drag(d.body, target);
      }, DRAG_EVERY);
  }

  move(e) {
    const p = this.pointers.get(e.pointerId);
    if (!p) return;
    const dx = e.clientX - p.x,
      dy = e.clientY - p.y,
      height = this.canvas.clientHeight,
      camera = this.app.view.camera;
    const before = this.mode === 'pinch' ? this.pinch() : null;
    p.x = e.clientX;
    p.y = e.clientY;
    this.travel = Math.max(this.travel ?? 0, Math.hypot(p.x - p.startX, p.y - p.startY));
    if (this.mode === 'drag') this.dragTo(e);
    else if (this.mode === 'orbit' && this.travel > CLICK_PIXELS)
      camera.orbit((dx / height) * 4, (dy / height) * 4);
    else if (this.mode === 'pan') camera.pan(dx / height, dy / height);
    else if (before) {
      const after = this.pinch();
      camera.zoom(before.size / Math.max(1, after.size));
      camera.pan((after.x - before.x) / height, (after.y - before.y) / height);
    }
    this.app.invalidate();
  }

  pinch() {
    const [a, b] = [...this.pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  up(e, cancelled = false) {
    if (!this.pointers.delete(e.pointerId)) return;
    const mode = this.mode;
    if (this.pointers.size > 0) {
      this.mode = 'none'; // a finger of two is left: it must not turn the camera
      return;
    }
    this.mode = null;
    this.canvas.classList.remove('holding');
    if (mode === 'drag') {
      clearTimeout(this.dragged.later);
      this.app.release();
    } else if (mode === 'orbit' && !cancelled && this.travel <= CLICK_PIXELS) this.click(e);
    this.app.emit('camera');
  }

  click(e) {
    const app = this.app;
    if (this.startTool === 'throw') {
      this.throwBall(e);
      return;
    }
    const hit = this.hit(e);
    if (this.startTool === 'push' && hit && app.model.kind[hit.index] === 0) {
      app.pick(hit.index);
      const { way } = this.ray(e),
        speed = app.options.pushSpeed ?? 1,
        mass = app.model.mass[hit.index];
      app.command({ do: 'push', body: hit.index, impulse: way.map((x) => x * speed * mass) });
      return;
    }
    app.pick(hit ? hit.index : null);
  }

  /** From in front of the camera along the ray of the click. */
  throwBall(e) {
    const app = this.app,
      o = app.options.throwing,
      { origin, way } = this.ray(e),
      view = app.view;
    const start = Math.max(
      view.camera.orthographic ? view.camera.distance * 0.5 : view.camera.distance * 0.25,
      3 * o.radius,
    );
    app
      .command({
        do: 'throw',
        position: origin.map((x, k) => x + way[k] * start),
        velocity: way.map((x) => x * o.speed),
        radius: o.radius,
        density: o.density,
        material: o.material,
      })
      .then((reply) => reply && app.say(`Threw body ${reply.index}`));
  }

  wheel(e) {
    e.preventDefault();
    const pixels = e.deltaMode === 1 ? e.deltaY * 16 : e.deltaMode === 2 ? e.deltaY * 400 : e.deltaY;
    const factor = Math.exp(Math.min(100, Math.max(-100, pixels)) * 0.0015),
      camera = this.app.view.camera;
    // What is under the pointer stays there.
    const [x, y] = this.place(e),
      h = camera.halfHeight * (1 - factor);
    camera.target.addScaledVector(camera.right, x * h * camera.aspect).addScaledVector(camera.up, y * h);
    camera.zoom(factor);
    this.app.invalidate();
    this.app.emit('camera');
  }
}
