// Boxes and parallelograms: instances of a unit cube and a unit square with a matrix each, drawn
// see-through with crisp edges, so that a container shows what is in it. A new kind of flat-faced
// shape is one more unit geometry here.
import * as THREE from 'three';
import { SHADE } from './shading.js';

const VERTEX = /* glsl */ `
precision highp float;
in vec3 position, normal;
in vec2 uv;
in mat4 instanceMatrix;
in vec3 tint; // r, g, b of the instance
uniform mat4 viewMatrix, projectionMatrix;
out vec3 vPoint, vNormal, vTint;
out vec2 vUv;
void main() {
  vec4 p = viewMatrix * instanceMatrix * vec4(position, 1.0);
  vPoint = p.xyz;
  vNormal = mat3(viewMatrix) * transpose(inverse(mat3(instanceMatrix))) * normal;
  vUv = uv;
  vTint = tint;
  gl_Position = projectionMatrix * p;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
in vec3 vPoint, vNormal, vTint;
in vec2 vUv;
uniform float uOpacity;
uniform vec3 uEdge;
out vec4 colour;
void main() {
  if (isCut(vPoint)) discard;
  vec3 n = normalize(vNormal);
  if (!gl_FrontFacing) n = -n;
  vec2 edge = min(vUv, 1.0 - vUv) / max(fwidth(vUv), vec2(1e-6));
  float line = 1.0 - smoothstep(0.8, 1.8, min(edge.x, edge.y));
  vec3 c = shade(vTint, vPoint, n);
  colour = vec4(mix(c, uEdge, line), mix(uOpacity, max(uOpacity, 0.75), line));
}
`;

const SHADOW_VERTEX = /* glsl */ `
precision highp float;
in vec3 position;
in mat4 instanceMatrix;
uniform mat4 viewMatrix, projectionMatrix;
void main() { gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0); }
`;
const SHADOW_FRAGMENT = `precision highp float; void main() {}`;

function unitSquare() {
  // from the origin along two edges, as parallelograms are given
  const g = new THREE.PlaneGeometry(1, 1);
  g.translate(0.5, 0.5, 0);
  return g;
}

class Kind {
  constructor(geometry, material, shadow) {
    Object.assign(this, { geometry, material, shadow, capacity: 0, mesh: null, caster: null });
    this.group = new THREE.Group();
    this.casters = new THREE.Group();
  }

  reserve(count) {
    if (count <= this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    const old = this.mesh;
    const geometry = this.geometry.clone();
    geometry.setAttribute('tint', new THREE.InstancedBufferAttribute(new Float32Array(capacity * 3), 3));
    this.mesh = new THREE.InstancedMesh(geometry, this.material, capacity);
    this.caster = new THREE.InstancedMesh(geometry, this.shadow, capacity);
    this.caster.instanceMatrix = this.mesh.instanceMatrix;
    for (const m of [this.mesh, this.caster]) {
      m.frustumCulled = false;
      m.count = 0;
      m.renderOrder = 2;
    }
    if (old) {
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      geometry.attributes.tint.array.set(old.geometry.attributes.tint.array);
      old.geometry.dispose();
      old.dispose();
    }
    this.group.clear().add(this.mesh);
    this.casters.clear().add(this.caster);
    this.capacity = capacity;
  }

  set(index, matrix, tint) {
    this.mesh.setMatrixAt(index, matrix);
    if (tint) this.mesh.geometry.attributes.tint.array.set(tint, 3 * index);
  }

  finish(count) {
    if (!this.mesh) return;
    this.mesh.count = this.caster.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.geometry.attributes.tint.needsUpdate = true;
  }
}

export class Walls {
  constructor(shared) {
    this.opacity = { value: 0.3 };
    this.edge = { value: new THREE.Color() };
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...shared, uOpacity: this.opacity, uEdge: this.edge },
      transparent: true,
      side: THREE.DoubleSide,
      depthWrite: false,
    });
    const shadow = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: SHADOW_VERTEX,
      fragmentShader: SHADOW_FRAGMENT,
      side: THREE.DoubleSide,
      colorWrite: false,
    });
    this.material = material;
    this.boxes = new Kind(new THREE.BoxGeometry(2, 2, 2), material, shadow);
    this.patches = new Kind(unitSquare(), material, shadow);
    this.group = new THREE.Group().add(this.boxes.group, this.patches.group);
    this.casters = new THREE.Group().add(this.boxes.casters, this.patches.casters);
  }

  /** 1 is solid: then walls hide and shade what is behind them as anything else. */
  setOpacity(value) {
    this.opacity.value = value;
    this.material.depthWrite = value >= 0.999;
    this.casters.visible = value >= 0.5;
  }
}
