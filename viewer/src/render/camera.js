// The camera: it looks at a target from a distance under two angles, z is up. Knows nothing of
// pointers or keys (ui/pointer.js, ui/keys.js); its state is what a link carries.
import * as THREE from 'three';

const FIELD = 40; // degrees, from bottom to top
const LIMIT = Math.PI / 2 - 1e-3;

/** Standard views: [turn about z, height angle], radians. The camera sits where the name says. */
export const VIEWS = {
  front: [-Math.PI / 2, 0],
  back: [Math.PI / 2, 0],
  right: [0, 0],
  left: [Math.PI, 0],
  top: [-Math.PI / 2, LIMIT],
  bottom: [-Math.PI / 2, -LIMIT],
  iso: [-Math.PI / 4, Math.asin(1 / Math.sqrt(3))],
};

export class Camera {
  constructor() {
    this.target = new THREE.Vector3(0, 0, 0);
    this.turn = -Math.PI / 3;
    this.height = 0.45;
    this.distance = 5;
    this.orthographic = false;
    this.aspect = 1;
    this.perspectiveCamera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
    this.orthographicCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
    for (const c of [this.perspectiveCamera, this.orthographicCamera]) c.up.set(0, 0, 1);
    this.away = new THREE.Vector3();
    this.right = new THREE.Vector3();
    this.up = new THREE.Vector3();
  }

  get three() {
    return this.orthographic ? this.orthographicCamera : this.perspectiveCamera;
  }

  /** m across half of the picture's height, at the target. */
  get halfHeight() {
    return this.distance * Math.tan((FIELD * Math.PI) / 360);
  }

  /** Brings three's camera up to date. `bounds`: the sphere that has to lie between near and far. */
  update(bounds) {
    const { distance } = this;
    this.aim();
    const c = this.three;
    c.position.copy(this.target).addScaledVector(this.away, distance);
    c.lookAt(this.target);
    const reach = c.position.distanceTo(bounds.center) + bounds.radius * 4;
    if (this.orthographic) {
      const h = this.halfHeight;
      c.top = h;
      c.bottom = -h;
      c.right = h * this.aspect;
      c.left = -h * this.aspect;
      c.near = -reach;
      c.far = reach;
    } else {
      c.aspect = this.aspect;
      const gap = c.position.distanceTo(bounds.center) - bounds.radius * 1.5;
      c.near = Math.max(gap, Math.min(distance, bounds.radius) * 0.02, reach * 1e-5);
      c.far = Math.max(reach, c.near * 10);
    }
    c.updateProjectionMatrix();
    c.updateMatrixWorld(true);
  }

  /** The directions that follow from the angles. */
  aim() {
    const { turn, height } = this;
    this.away.set(Math.cos(height) * Math.cos(turn), Math.cos(height) * Math.sin(turn), Math.sin(height));
    this.right.set(-Math.sin(turn), Math.cos(turn), 0);
    this.up.crossVectors(this.away, this.right);
  }

  orbit(dx, dy) {
    this.turn = wrap(this.turn - dx);
    this.height = Math.min(LIMIT, Math.max(-LIMIT, this.height + dy));
  }

  /** Moves the target in the plane of the picture, in parts of its height. */
  pan(dx, dy) {
    const h = 2 * this.halfHeight;
    this.target.addScaledVector(this.right, -dx * h).addScaledVector(this.up, dy * h);
  }

  /** Walks: over the ground, in parts of the picture's height. */
  walk(ahead, aside) {
    const h = 2 * this.halfHeight;
    this.target.x += (-Math.cos(this.turn) * ahead - Math.sin(this.turn) * aside) * h;
    this.target.y += (-Math.sin(this.turn) * ahead + Math.cos(this.turn) * aside) * h;
  }

  zoom(factor) {
    this.distance = Math.min(1e7, Math.max(1e-5, this.distance * factor));
  }

  look(name) {
    [this.turn, this.height] = VIEWS[name];
  }

  /** Shows the whole of a box { low, high }, under the angles that it has. */
  fit({ low, high }) {
    this.aim();
    for (let k = 0; k < 3; k++) this.target.setComponent(k, (low[k] + high[k]) / 2);
    const tall = Math.tan((FIELD * Math.PI) / 360),
      wide = tall * this.aspect,
      corner = new THREE.Vector3();
    let distance = 1e-6;
    for (let i = 0; i < 8; i++) {
      for (let k = 0; k < 3; k++) corner.setComponent(k, (((i >> k) & 1 ? 1 : -1) * (high[k] - low[k])) / 2);
      const across = Math.max(
        Math.abs(corner.dot(this.right)) / wide,
        Math.abs(corner.dot(this.up)) / tall,
      );
      distance = Math.max(distance, across + (this.orthographic ? 0 : corner.dot(this.away)));
    }
    this.distance = 1.1 * distance;
  }

  /** The ray through a point of the picture (-1 to 1 in x and y): origin and unit way. */
  ray(x, y, origin, way) {
    const c = this.three;
    if (this.orthographic) {
      const h = this.halfHeight;
      origin
        .copy(c.position)
        .addScaledVector(this.right, x * h * this.aspect)
        .addScaledVector(this.up, y * h);
      way.copy(this.away).negate();
    } else {
      const t = Math.tan((FIELD * Math.PI) / 360);
      origin.copy(c.position);
      way
        .copy(this.away)
        .negate()
        .addScaledVector(this.right, x * t * this.aspect)
        .addScaledVector(this.up, y * t)
        .normalize();
    }
  }

  get state() {
    return {
      target: this.target.toArray(),
      turn: this.turn,
      height: this.height,
      distance: this.distance,
      orthographic: this.orthographic,
    };
  }

  set state(s) {
    this.target.fromArray(s.target);
    this.turn = s.turn;
    this.height = Math.min(LIMIT, Math.max(-LIMIT, s.height));
    this.distance = s.distance;
    this.orthographic = s.orthographic;
  }
}

function wrap(a) {
  return Math.atan2(Math.sin(a), Math.cos(a));
}
