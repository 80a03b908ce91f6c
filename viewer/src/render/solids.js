// Every shape that is no ball and no plane: one instanced mesh for each kind of primitive and each geometry.
// Instances are placed by the shader, from the same textures of poses as the balls: a picture costs the
// processor nothing per body. Solids of dynamic bodies, and height fields, are opaque; those of fixed and
// prescribed bodies, and sensors, are walls: see-through with crisp edges, so that a container shows what is in it.
import * as THREE from 'three';
import { POSE, SHADE, PALETTE } from './shading.js';
import { HEIGHTS, meshKey, meshOf, instanceOf } from '../shapes.js';

const PLACE = /* glsl */ `
precision highp float;
${POSE}
in vec3 inner, dir;
in vec2 aOwner;  // body; material, fixed flag << 8
in vec3 aPlace;  // the shape in its body's frame
in vec4 aTurn;
in vec4 aCore;   // what inner is multiplied by; what dir is
in vec3 aMore;   // shear; 1 where dir has to be divided by core, 2 of rods: core has its bodies; size
uniform float uShrink;
uniform mat4 viewMatrix, projectionMatrix;

vec3 place(out vec3 normal, out vec4 pose, out bool gone) {
  uint body = uint(aOwner.x);
  pose = position(body);
  gone = pose.w < 0.0;
  vec4 q = turn(body);
  vec3 core = aCore.xyz;
  if (aMore.y > 1.5)
    core = vec3(0.0, 0.0, 0.5 * distance(position(uint(core.x)).xyz, position(uint(core.y)).xyz));
  vec3 local = inner * core + dir * aCore.w;
  local.x += aMore.x * inner.y;
  vec3 n = aMore.y > 0.5 && aMore.y < 1.5 ? dir / core : dir;
  normal = rotate(q, rotate(aTurn, normalize(n)));
  return pose.xyz + rotate(q, aPlace + uShrink * rotate(aTurn, local));
}
`;

const VERTEX = `${PLACE}
in vec2 uv;
uniform int uColourBy;
out vec3 vPoint, vNormal;
out vec2 vUv;
flat out uvec2 vOwner;
flat out float vValue;
void main() {
  vec3 normal;
  vec4 pose;
  bool gone;
  vec4 p = viewMatrix * vec4(place(normal, pose, gone), 1.0);
  vPoint = p.xyz;
  vNormal = mat3(viewMatrix) * normal;
  vUv = uv;
  vOwner = uvec2(aOwner);
  vValue = uColourBy == 3 ? aMore.z : pose.w;
  gl_Position = gone ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * p;
}
`;

const HEAD = /* glsl */ `
precision highp float;
precision highp int;
${SHADE}
${PALETTE}
in vec3 vPoint, vNormal;
in vec2 vUv;
flat in uvec2 vOwner;
flat in float vValue;
uniform uint uPicked;
uniform vec3 uPickedColour, uFixedColour, uEdge;
uniform float uOpacity;
uniform bool isOrthographic;
out vec4 colour;

vec3 material() { return texelFetch(uMaterials, ivec2(int(vOwner.y & 255u), 0), 0).rgb; }

float edgeLine() { // 1 on an edge of a face, 0 elsewhere and on surfaces without edges
  vec2 edge = min(vUv, 1.0 - vUv) / max(fwidth(vUv), vec2(1e-6));
  return vUv.x < -0.5 ? 0.0 : 1.0 - smoothstep(0.8, 1.8, min(edge.x, edge.y));
}

vec3 facing() {
  vec3 n = normalize(vNormal);
  return gl_FrontFacing ? n : -n;
}

float rimOf(vec3 n) {
  vec3 way = isOrthographic ? vec3(0.0, 0.0, 1.0) : -normalize(vPoint);
  return pow(1.0 - max(dot(n, way), 0.0), 1.5);
}
`;

const OPAQUE = `${HEAD}
vec3 baseColour() {
  if ((vOwner.y & 256u) != 0u) return 0.75 * uFixedColour + 0.25 * material();
  if (uColourBy == 0) return material();
  if (uColourBy == 4) return colourOfId(vOwner.x);
  if (uColourBy > 4) return uFixedColour; // what it would be coloured by is not known
  return scaled(vValue);
}

void main() {
  if (isCut(vPoint)) discard;
  vec3 n = facing(), base = baseColour();
  // Behind a cut the inside shows, flat, in the legend's colour; a height field has no inside.
  bool inside = !gl_FrontFacing && (vOwner.y & 512u) == 0u;
  vec3 c = inside ? base : shade(base, vPoint, n);
  c = mix(c, c * 0.72, edgeLine());
  if (vOwner.x == uPicked) c = mix(c, uPickedColour, 0.35 + 0.65 * rimOf(n));
  colour = vec4(c, 1.0);
}
`;

const WALL = `${HEAD}
void main() {
  if (isCut(vPoint)) discard;
  vec3 n = facing();
  float line = edgeLine();
  if (vUv.x < -0.5) line = 0.5 * rimOf(n); // smooth surfaces show where they turn away
  vec3 c = shade(0.75 * uFixedColour + 0.25 * material(), vPoint, n);
  if (vOwner.x == uPicked) c = mix(c, uPickedColour, 0.35);
  colour = vec4(mix(c, uEdge, line), mix(uOpacity, max(uOpacity, 0.75), line));
}
`;

const SHADOW_VERTEX = `${PLACE}
void main() {
  vec3 normal;
  vec4 pose;
  bool gone;
  vec4 p = projectionMatrix * viewMatrix * vec4(place(normal, pose, gone), 1.0);
  gl_Position = gone ? vec4(2.0, 2.0, 2.0, 1.0) : p;
}
`;
const SHADOW_FRAGMENT = `precision highp float; void main() {}`;

/** The numbers of an instance, by attribute. */
const ATTRIBUTES = { aOwner: 2, aPlace: 3, aTurn: 4, aCore: 4, aMore: 3 };

/** The instances of one mesh that are drawn alike. */
class Batch {
  constructor(mesh, material, shadow, order) {
    Object.assign(this, { count: 0, capacity: 0 });
    this.geometry = new THREE.InstancedBufferGeometry();
    for (const [name, width] of [
      ['inner', 3],
      ['dir', 3],
      ['uv', 2],
    ])
      this.geometry.setAttribute(name, new THREE.BufferAttribute(mesh[name], width));
    this.geometry.setIndex(new THREE.BufferAttribute(mesh.index, 1));
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.caster = new THREE.Mesh(this.geometry, shadow);
    this.mesh.frustumCulled = this.caster.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.reserve(64);
  }

  reserve(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    for (const [name, width] of Object.entries(ATTRIBUTES)) {
      const next = new Float32Array(width * this.capacity),
        old = this.geometry.getAttribute(name);
      if (old) next.set(old.array);
      this.geometry.setAttribute(name, new THREE.InstancedBufferAttribute(next, width));
    }
  }

  add(values) {
    this.reserve(this.count + 1);
    for (const [name, width] of Object.entries(ATTRIBUTES)) {
      const a = this.geometry.getAttribute(name);
      a.array.set(values[name], width * this.count);
      a.needsUpdate = true;
    }
    this.geometry.instanceCount = ++this.count;
  }

  dispose() {
    this.geometry.dispose();
  }
}

export class Solids {
  /** `shrink` is the spheres' uniform. */
  constructor(shared, palette, shrink, picked) {
    const uniforms = {
      ...shared,
      ...palette,
      ...picked,
      uShrink: shrink,
      uOpacity: { value: 0.3 },
      uEdge: { value: new THREE.Color() },
    };
    const make = (vertexShader, fragmentShader, more, own = {}) =>
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader,
        fragmentShader,
        uniforms: { ...uniforms, ...own },
        side: THREE.DoubleSide,
        ...more,
      });
    const whole = { uShrink: { value: 1 } }; // walls and ground stay as large as they are
    this.uniforms = uniforms;
    this.looks = {
      body: {
        material: make(VERTEX, OPAQUE, {}),
        shadow: make(SHADOW_VERTEX, SHADOW_FRAGMENT, { colorWrite: false }),
      },
      ground: {
        material: make(VERTEX, OPAQUE, {}, whole),
        shadow: make(SHADOW_VERTEX, SHADOW_FRAGMENT, { colorWrite: false }, whole),
      },
      wall: {
        material: make(VERTEX, WALL, { transparent: true, depthWrite: false }, whole),
        shadow: make(SHADOW_VERTEX, SHADOW_FRAGMENT, { colorWrite: false }, whole),
      },
    };
    this.group = new THREE.Group();
    this.casters = new THREE.Group();
    this.wallCasters = new THREE.Group();
    this.casters.add(this.wallCasters);
    this.clear();
  }

  clear() {
    for (const batch of this.batches?.values() ?? []) batch.dispose();
    this.batches = new Map();
    this.group.clear();
    this.wallCasters.clear();
    this.casters.clear().add(this.wallCasters);
    this.taken = 0;
  }

  /** Takes those of the model's solids that came since the last call. */
  take({ solids, kind, forms }) {
    for (; this.taken < solids.length; this.taken++) {
      const solid = solids[this.taken],
        key = meshKey(solid),
        mesh = key === null ? null : meshOf(key, forms);
      if (!mesh) continue;
      const fixed = kind[solid.body] !== 0,
        ground = solid.kind === HEIGHTS,
        look = ground ? 'ground' : fixed || solid.sensor ? 'wall' : 'body',
        { core, round, turn, shear, affine, rod } = instanceOf(solid);
      this.batch(key, mesh, look).add({
        aOwner: [solid.body, Math.min(255, solid.material) | (fixed ? 256 : 0) | (ground ? 512 : 0)],
        aPlace: solid.position,
        aTurn: turn,
        aCore: [...core, round],
        aMore: [shear, rod ? 2 : affine ? 1 : 0, solid.extent],
      });
    }
  }

  batch(key, mesh, look) {
    const name = `${look} ${key}`;
    let batch = this.batches.get(name);
    if (!batch) {
      const { material, shadow } = this.looks[look];
      batch = new Batch(mesh, material, shadow, look === 'wall' ? 2 : 0);
      this.batches.set(name, batch);
      this.group.add(batch.mesh);
      (look === 'wall' ? this.wallCasters : this.casters).add(batch.caster);
    }
    return batch;
  }

  /** 1 is solid: then walls hide and shade what is behind them as anything else. */
  setOpacity(value) {
    this.uniforms.uOpacity.value = value;
    this.looks.wall.material.depthWrite = value >= 0.999;
    this.wallCasters.visible = value >= 0.5;
  }
}
