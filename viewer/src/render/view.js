// The picture: takes the model's two frames to textures, keeps the shapes of the scene, the shadow map
// and the overlays up to date, and draws. main.js calls draw() once a picture when something changed.
import * as THREE from 'three';
import { makeSharedUniforms, TEXTURE_WIDTH } from './shading.js';
import { Spheres } from './spheres.js';
import { Solids } from './solids.js';
import { Plane } from './grid.js';
import { Overlays } from './overlays.js';
import { Camera } from './camera.js';
import { rampTable, materialTable, COLOUR_BY } from '../colours.js';
import { PLANE } from '../shapes.js';

THREE.ColorManagement.enabled = false; // colours are sRGB from tables to pixels; shaders light in linear

/** Whether the browser draws without a GPU: then every pixel counts. */
function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2'),
    info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

const THEMES = {
  light: {
    clear: 0xe9edf1,
    sky: [0.5, 0.52, 0.55],
    soil: [0.22, 0.21, 0.2],
    plane: 0xdfe3e6,
    line: 0x8d979f,
    fixed: 0xb4b8bc,
    edge: 0x5d6a75,
  },
  dark: {
    clear: 0x15181c,
    sky: [0.36, 0.38, 0.42],
    soil: [0.12, 0.12, 0.13],
    plane: 0x30353b,
    line: 0x6d7780,
    fixed: 0x7b8188,
    edge: 0xa3aeb8,
  },
};

function tableTexture(data) {
  const t = new THREE.DataTexture(data, 256, 1, THREE.RGBAFormat, THREE.UnsignedByteType);
  t.magFilter = t.minFilter = THREE.LinearFilter;
  t.needsUpdate = true;
  return t;
}

/** A pair of textures that holds one frame. */
class Slot {
  constructor() {
    Object.assign(this, { frame: null, version: -1, capacity: 0, position: null, turn: null });
  }

  /** Uploads the frame unless it is there already. Returns the bytes sent. */
  take(frame) {
    if (this.frame === frame && this.version === frame.version) return 0;
    const { capacity, position, turn } = frame.pose;
    if (this.capacity !== capacity) {
      this.position?.dispose();
      this.turn?.dispose();
      const rows = capacity / TEXTURE_WIDTH;
      this.position = new THREE.DataTexture(position, TEXTURE_WIDTH, rows, THREE.RGBAFormat, THREE.FloatType);
      this.turn = new THREE.DataTexture(turn, TEXTURE_WIDTH, rows, THREE.RGBAIntegerFormat, THREE.ShortType);
      this.turn.internalFormat = 'RGBA16I';
      this.capacity = capacity;
    }
    this.position.image.data = position;
    this.turn.image.data = turn;
    this.position.needsUpdate = this.turn.needsUpdate = true;
    this.frame = frame;
    this.version = frame.version;
    return position.byteLength + turn.byteLength;
  }
}

export class View {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.software = drawsInSoftware();
    this.shadowSize = this.software ? 1024 : 2048;
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: !this.software,
      alpha: false,
      powerPreference: 'high-performance',
    });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // shaders write sRGB themselves
    this.renderer.autoClear = true;
    this.camera = new Camera();
    this.slots = [new Slot(), new Slot(), new Slot()];
    this.shared = makeSharedUniforms();
    this.ramp = { value: tableTexture(rampTable()) };
    this.palette = {
      uColourBy: { value: 0 },
      uRange: { value: new THREE.Vector2(0, 1) },
      uRamp: this.ramp,
      uMaterials: { value: tableTexture(materialTable()) },
    };
    this.spheres = new Spheres(this.shared, this.palette, this.software);
    const { uPicked, uPickedColour, uFixedColour } = this.spheres.uniforms;
    this.solids = new Solids(this.shared, this.palette, this.spheres.balls.uShrink, {
      uPicked,
      uPickedColour,
      uFixedColour,
    });
    this.ground = new Plane(this.shared, 0);
    this.ground.mesh.renderOrder = 0;
    this.planes = [];
    this.scene = new THREE.Scene();
    this.casters = new THREE.Scene();
    this.planeGroup = new THREE.Group();
    this.overlays = new Overlays(this.shared, this.ramp);
    this.scene.add(
      this.spheres.mesh,
      this.solids.group,
      this.planeGroup,
      this.ground.mesh,
      this.overlays.group,
    );
    this.casters.add(this.spheres.caster, this.solids.casters);
    this.makeShadow();
    this.bounds = new THREE.Sphere(new THREE.Vector3(), 1);
    this.whole = new THREE.Sphere(new THREE.Vector3(), 1); // with what flew far off
    this.box = null;
    this.options = { shadows: true, grid: true, marks: false, cut: null, opacity: 0.2, ball: 1 };
    this.stats = { uploadBytes: 0, drawMs: 0, uploads: 0 };
    this.scratch = {
      p: [0, 0, 0],
      q: [0, 0, 0, 1],
      m: new THREE.Matrix4(),
      n: new THREE.Matrix4(),
      v: new THREE.Vector3(),
      w: new THREE.Vector3(),
      t: new THREE.Quaternion(),
    };
    Object.assign(this, { width: 1, height: 1, fullRatio: 1, ratio: 1, coarse: 0 });
    this.reset();
    this.setTheme('dark');
  }

  /** A new session: everything made of the last one's bodies goes. */
  reset() {
    this.ballVersion = this.solidVersion = this.boundsVersion = this.boundsAt = -1;
    this.drawnVersion = -1;
    for (const p of this.planes) p.dispose();
    this.planes = [];
    this.planeGroup.clear();
    this.spheres.update(0);
    this.solids.clear();
    this.overlays.clear();
    for (const slot of this.slots) slot.frame = null;
  }

  makeShadow() {
    const depth = new THREE.DepthTexture(this.shadowSize, this.shadowSize, THREE.UnsignedIntType);
    depth.compareFunction = THREE.LessEqualCompare;
    depth.magFilter = depth.minFilter = THREE.LinearFilter;
    this.shadowTarget = new THREE.WebGLRenderTarget(this.shadowSize, this.shadowSize, {
      depthTexture: depth,
      depthBuffer: true,
    });
    this.shadowCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    this.shadowCamera.up.set(0, 1, 0);
    this.shared.uShadow.value = depth;
    this.renderer.setRenderTarget(this.shadowTarget); // made now: a picture without bodies reads it too
    this.renderer.clear();
    this.renderer.setRenderTarget(null);
  }

  setTheme(name) {
    const t = THEMES[name];
    this.theme = name;
    this.renderer.setClearColor(t.clear, 1);
    this.shared.uSky.value.setRGB(...t.sky);
    this.shared.uSoil.value.setRGB(...t.soil);
    for (const p of [this.ground, ...this.planes]) this.tintPlane(p);
    this.spheres.uniforms.uFixedColour.value.setRGB(
      ...[t.fixed >> 16, (t.fixed >> 8) & 255, t.fixed & 255].map((v) => v / 255),
    );
    this.solids.uniforms.uEdge.value.setHex(t.edge);
    this.solidVersion = -1;
  }

  tintPlane(p) {
    const t = THEMES[this.theme],
      part = (c) => [(c >> 16) / 255, ((c >> 8) & 255) / 255, (c & 255) / 255];
    p.uniforms.uColour.value.setRGB(...part(t.plane));
    p.uniforms.uLine.value.setRGB(...part(t.line));
  }

  /** css pixels, and how many device pixels there are to one. */
  resize(width, height, ratio) {
    Object.assign(this, { width, height, fullRatio: ratio });
    this.setCoarse(this.coarse);
  }

  /** 0: every pixel; levels 1 and 2 have half as many each; level 3 does without shadows, too. */
  setCoarse(level) {
    const { width, height } = this,
      ratio = this.fullRatio * 0.7 ** Math.min(2, level);
    this.coarse = level;
    this.drawnVersion = -1;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.shared.uPixel.value.set(width * ratio, height * ratio);
  }

  colourBy(key) {
    const at = COLOUR_BY.findIndex((c) => c.key === key);
    this.palette.uColourBy.value = at < 0 ? COLOUR_BY.length : at; // beyond the last: no colour
  }

  setRange(low, high) {
    this.palette.uRange.value.set(low, high);
  }

  pick(index) {
    this.spheres.uniforms.uPicked.value = index ?? 0xffffffff;
  }

  setOptions(options) {
    Object.assign(this.options, options);
    this.spheres.uniforms.uMarks.value = this.options.marks ? 1 : 0;
    this.spheres.balls.uShrink.value = this.options.ball;
    this.solids.setOpacity(this.options.opacity);
    this.drawnVersion = -1;
  }

  /** Whether the bounds are those of what is shown. */
  get boundsFit() {
    return !this.model.to || this.boundsVersion === this.model.version;
  }

  /** Bounds follow what is there; looked at twice a second at most, for it walks over all bodies. */
  followBounds(now) {
    if (this.boundsAt >= 0 && (this.boundsFit || now - this.boundsAt < 500)) return;
    const b = this.model.bounds();
    this.boundsVersion = this.model.version;
    if (!b) return;
    this.boundsAt = now;
    this.drawnVersion = -1; // shadows reach as far as the bounds
    this.box = b;
    this.surround(this.bounds, b.near);
    this.surround(this.whole, b);
    this.placePlanes();
  }

  surround(sphere, { low, high }) {
    const a = this.scratch.v.fromArray(low),
      b = this.scratch.w.fromArray(high);
    sphere.center.addVectors(a, b).multiplyScalar(0.5);
    sphere.radius = Math.max(a.distanceTo(b) / 2, 1e-6);
  }

  /** Shows everything, also what flew far off. */
  fit() {
    this.boundsAt = -1;
    this.followBounds(0);
    if (this.box) this.camera.fit(this.box);
  }

  syncShapes() {
    const { balls, solids } = this.model;
    if (this.ballVersion !== balls.version) {
      this.spheres.take(balls);
      this.ballVersion = balls.version;
    }
    if (this.solidVersion !== this.model.solidVersion) {
      this.solidVersion = this.model.solidVersion;
      for (const p of this.planes) p.dispose();
      this.planeGroup.clear();
      this.planes = solids
        .filter((s) => s.kind === PLANE)
        .map((s) => {
          const p = new Plane(this.shared, 0.55);
          p.solid = s;
          p.uniforms.uLines.value = 0.35;
          this.tintPlane(p);
          this.planeGroup.add(p.mesh);
          return p;
        });
      this.solids.take(this.model);
    }
    this.placePlanes();
  }

  /** The matrix of a solid in the world, to scratch.m; false where its body is not there. */
  poseOf(solid) {
    const { p, q, m, n, v, w, t } = this.scratch;
    if (!this.model.positionOf(solid.body, p)) return false;
    this.model.turnOf(solid.body, q);
    m.compose(v.fromArray(p), t.fromArray(q), w.set(1, 1, 1));
    const o = solid.orientation;
    n.compose(v.fromArray(solid.position), t.set(o[1], o[2], o[3], o[0]), w);
    m.multiply(n);
    return true;
  }

  placePlanes() {
    const { m, v, w, t } = this.scratch;
    let ground = null;
    for (const p of this.planes) {
      p.mesh.visible = this.poseOf(p.solid);
      if (!p.mesh.visible) continue;
      m.decompose(v, t, w);
      const level = w.set(0, 0, 1).applyQuaternion(t).z > 0.98;
      const size = this.bounds.radius * (level ? 4 : 1.15);
      p.place(v, t, this.bounds.center, size);
      p.uniforms.uFill.value = level ? 0.55 : 0.22;
      if (level && !ground) ground = p;
    }
    // The grid lies on the ground; where there is none, there is no grid either, nor its shadows.
    const g = this.ground;
    g.mesh.visible = this.options.grid && ground !== null;
    if (ground)
      g.place(
        ground.mesh.position.clone().sub(ground.offset),
        ground.mesh.quaternion,
        this.bounds.center,
        this.bounds.radius * 4,
      );
  }

  syncFrames() {
    const { from, to } = this.model;
    const hold = (frame, other) => {
      const slot =
        this.slots.find((s) => s.frame === frame) ??
        this.slots.find((s) => s.frame !== other) ??
        this.slots[0];
      const bytes = slot.take(frame);
      if (bytes) {
        this.stats.uploads++;
        this.stats.uploadBytes += bytes;
      }
      return slot;
    };
    const b = hold(to, from),
      a = from === to ? b : hold(from, to),
      u = this.shared;
    u.uPositionA.value = a.position;
    u.uTurnA.value = a.turn;
    u.uPositionB.value = b.position;
    u.uTurnB.value = b.turn;
    u.uMix.value = this.model.mix;
  }

  drawShadow() {
    const c = this.shadowCamera,
      r = this.bounds.radius * 1.02,
      u = this.shared;
    c.left = c.bottom = -r;
    c.right = c.top = r;
    c.near = 0;
    c.far = 4 * r;
    c.position.copy(this.bounds.center).addScaledVector(u.uLight.value, 2 * r);
    c.lookAt(this.bounds.center);
    c.updateProjectionMatrix();
    c.updateMatrixWorld(true);
    this.renderer.setRenderTarget(this.shadowTarget);
    this.renderer.clear();
    this.renderer.render(this.casters, c);
    this.renderer.setRenderTarget(null);
    u.uShadowTexel.value = (2 * r) / this.shadowSize;
  }

  /** Draws the model as it is now. */
  draw(now) {
    const start = performance.now(),
      model = this.model,
      u = this.shared;
    if (model.to) {
      this.followBounds(now);
      if (this.drawnVersion !== model.version) {
        this.syncFrames();
        this.syncShapes();
        this.overlays.update(model, this.bounds);
      }
    }
    this.camera.update(this.whole);
    const three = this.camera.three;
    u.uViewToWorld.value.copy(three.matrixWorld);
    u.uLightView.value.copy(u.uLight.value).transformDirection(three.matrixWorldInverse);
    this.setCut(three);
    const shadows = this.options.shadows && this.coarse < 3;
    if (model.to && shadows && this.drawnVersion !== model.version) this.drawShadow();
    u.uShadowOn.value = shadows ? 1 : 0;
    u.uShadowMatrix.value
      .set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1)
      .multiply(this.shadowCamera.projectionMatrix)
      .multiply(this.shadowCamera.matrixWorldInverse)
      .multiply(three.matrixWorld);
    this.drawnVersion = model.version;
    this.spheres.mesh.visible = this.spheres.caster.visible = model.to !== null && model.balls.count > 0;
    this.renderer.render(this.scene, three);
    this.stats.drawMs = performance.now() - start;
  }

  /** The cut plane in the world: { normal, at }, where dot(normal, p) > at is cut away: the near side, or the
   *  far one (`flip`). null: none. */
  cutPlane() {
    const cut = this.options.cut;
    if (!cut) return null;
    const away = this.camera.away,
      normal = new THREE.Vector3();
    if (cut.axis === 'eye') normal.copy(away);
    else normal.setComponent({ x: 0, y: 1, z: 2 }[cut.axis], 1);
    const at = normal.dot(this.bounds.center) + cut.offset * this.bounds.radius;
    const sign = (normal.dot(away) < 0 ? -1 : 1) * (cut.flip ? -1 : 1);
    return { normal: normal.multiplyScalar(sign), at: at * sign, place: at };
  }

  setCut(three) {
    const cut = this.cutPlane();
    if (!cut) {
      this.shared.uCut.value.set(0, 0, 0, 1e30);
      return;
    }
    const view = cut.normal.clone().transformDirection(three.matrixWorldInverse);
    // A point of the plane in view space gives its distance there.
    const point = cut.normal.multiplyScalar(cut.at).applyMatrix4(three.matrixWorldInverse);
    this.shared.uCut.value.set(view.x, view.y, view.z, view.dot(point));
  }

  /** Where a body is in the picture, in css pixels from the upper left: { x, y, radius, visible }. */
  project(index) {
    const { p, v } = this.scratch;
    if (!this.model.positionOf(index, p)) return null;
    const three = this.camera.three;
    const depth = -v.fromArray(p).applyMatrix4(three.matrixWorldInverse).z;
    v.fromArray(p).project(three);
    const scale = this.camera.orthographic
      ? this.height / 2 / this.camera.halfHeight
      : ((this.height / 2) * three.projectionMatrix.elements[5]) / Math.max(depth, 1e-9);
    const visible = Math.abs(v.x) <= 1 && Math.abs(v.y) <= 1 && v.z > -1 && v.z < 1;
    return {
      x: (v.x * 0.5 + 0.5) * this.width,
      y: (0.5 - v.y * 0.5) * this.height,
      depth,
      visible,
      radius: Number.isFinite(this.model.radius[index]) ? this.model.radius[index] * scale : 0,
    };
  }

  /** The plane through a point that faces the eye, met by the ray through (x, y), -1 to 1: for dragging. */
  pointAtDepth(x, y, point) {
    const origin = new THREE.Vector3(),
      way = new THREE.Vector3();
    this.camera.ray(x, y, origin, way);
    const n = this.camera.away;
    const t = (n.dot(this.scratch.v.fromArray(point)) - n.dot(origin)) / n.dot(way);
    return origin.addScaledVector(way, t).toArray();
  }
}
