// Planes and the ground grid: a large square each, with lines at round distances that fade out far
// away. Seen from the solid side a plane is nearly transparent: one looks into a container. The cut
// plane leaves them whole.
import * as THREE from 'three';
import { SHADE } from './shading.js';

const VERTEX = /* glsl */ `
precision highp float;
in vec3 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
uniform float uSize;
out vec3 vPoint, vNormal;
out vec2 vPlace;
void main() {
  vPlace = position.xy * uSize;
  vec4 p = viewMatrix * modelMatrix * vec4(vPlace, 0.0, 1.0);
  vPoint = p.xyz;
  vNormal = mat3(viewMatrix) * mat3(modelMatrix) * vec3(0.0, 0.0, 1.0);
  gl_Position = projectionMatrix * p;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
in vec3 vPoint, vNormal;
in vec2 vPlace;
uniform float uSize, uCell, uFill, uLines;
uniform vec2 uShift; // of the place on the plane, so that lines run through its origin
uniform vec3 uColour, uLine;
out vec4 colour;
float lines(vec2 p, float cell, float width) {
  vec2 w = fwidth(p) / cell;
  vec2 d = abs(fract(p / cell - 0.5) - 0.5) / max(w, vec2(1e-6));
  vec2 strength = clamp(1.0 - d / width + 0.5, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.5, w));
  return max(strength.x, strength.y);
}
void main() {
  float far = length(vPlace) / uSize;
  float fade = 1.0 - smoothstep(0.55, 1.0, far);
  bool front = gl_FrontFacing;
  vec3 n = normalize(vNormal) * (front ? 1.0 : -1.0);
  vec2 p = vPlace + uShift;
  float l = max(0.45 * lines(p, uCell, 1.0), 0.9 * lines(p, uCell * 10.0, 1.2)) * uLines;
  vec3 c = mix(shade(uColour, vPoint, n), uLine, l);
  float alpha = max(uFill * (front ? 1.0 : 0.12), l * (front ? 0.8 : 0.25)) * fade;
  if (alpha < 0.004) discard;
  colour = vec4(c, alpha);
}
`;

export class Plane {
  constructor(shared, fill) {
    this.uniforms = {
      ...shared,
      uSize: { value: 1 },
      uCell: { value: 0.1 },
      uFill: { value: fill },
      uLines: { value: 1 },
      uShift: { value: new THREE.Vector2() },
      uColour: { value: new THREE.Color(0.8, 0.8, 0.8) },
      uLine: { value: new THREE.Color(0.5, 0.5, 0.5) },
    };
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: this.uniforms,
      transparent: true,
      side: THREE.DoubleSide,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
    this.normal = new THREE.Vector3();
    this.offset = new THREE.Vector3();
  }

  /** Shows the plane through `origin`, turned by `turn`, around the point of it nearest `centre`. */
  place(origin, turn, centre, size) {
    const mesh = this.mesh;
    mesh.quaternion.copy(turn);
    this.normal.set(0, 0, 1).applyQuaternion(turn);
    this.offset.copy(centre).sub(origin);
    mesh.position.copy(centre).addScaledVector(this.normal, -this.offset.dot(this.normal));
    this.offset.copy(mesh.position).sub(origin).applyQuaternion(turn.clone().invert());
    this.uniforms.uSize.value = size;
    const cell = 10 ** Math.floor(Math.log10(Math.max(size, 1e-9) / 4));
    this.uniforms.uCell.value = cell;
    // Kept small: the lines repeat, and large numbers would lose their places.
    const period = cell * 10;
    this.uniforms.uShift.value.set(this.offset.x % period, this.offset.y % period);
  }

  dispose() {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
