// Lines with a width, and arrows: instanced quads that face the eye. Force chains, velocity arrows,
// the spring of a dragged body, and whatever else is a line between two points (frames of joints).
import * as THREE from 'three';

const VERTEX = /* glsl */ `
precision highp float;
in vec2 corner; // x: 0 at the start, 1 at the end; y: -1 to 1 across
in vec4 from;   // xyz, width in pixels
in vec4 to;     // xyz, value to colour by, 0 to 1
uniform mat4 viewMatrix, projectionMatrix;
uniform vec2 uPixel;
uniform float uHead;
out vec2 vAt;
out float vValue, vLength, vWidth;
out vec3 vView;
void main() {
  vec4 va = viewMatrix * vec4(from.xyz, 1.0), vb = viewMatrix * vec4(to.xyz, 1.0);
  vec4 a = projectionMatrix * va, b = projectionMatrix * vb;
  const float near = 1e-4;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) { float t = (near - a.w) / (b.w - a.w); a = mix(a, b, t); va = mix(va, vb, t); }
  if (b.w < near) { float t = (near - b.w) / (a.w - b.w); b = mix(b, a, t); vb = mix(vb, va, t); }
  vec2 sa = a.xy / a.w * uPixel * 0.5, sb = b.xy / b.w * uPixel * 0.5;
  vec2 way = sb - sa;
  float l = length(way);
  way = l > 1e-3 ? way / l : vec2(1.0, 0.0);
  float width = from.w * (1.0 + uHead * 2.0); // room for the head
  vec4 p = mix(a, b, corner.x);
  vView = mix(va, vb, corner.x).xyz;
  p.xy += vec2(-way.y, way.x) * corner.y * width * p.w / uPixel;
  p.z -= 1e-4 * p.w; // in front of the surfaces it touches
  gl_Position = p;
  vAt = vec2(corner.x * l, corner.y * width);
  vLength = l;
  vWidth = from.w;
  vValue = to.w;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec2 vAt;
in float vValue, vLength, vWidth;
in vec3 vView;
uniform highp sampler2D uRamp;
uniform vec3 uColour;
uniform float uHead, uRamped;
uniform vec4 uCut;
out vec4 colour;
void main() {
  if (dot(uCut.xyz, vView) > uCut.w) discard;
  float head = uHead > 0.5 ? min(vWidth * 4.0, vLength) : 0.0;
  float left = vLength - vAt.x;
  float allowed = left < head ? vWidth * 3.0 * left / max(head, 1e-3) : vWidth;
  if (abs(vAt.y) > allowed) discard;
  colour = vec4(uRamped > 0.5 ? texture(uRamp, vec2(vValue * 0.996 + 0.002, 0.5)).rgb : uColour, 1.0);
}
`;

export class Ribbons {
  /** `head`: with an arrow's head. `ramp`: a texture to colour by value, or null for `colour`. */
  constructor(shared, { head = false, ramp = null, colour = 0xffffff, onTop = false }) {
    this.geometry = new THREE.InstancedBufferGeometry();
    this.geometry.setAttribute(
      'corner',
      new THREE.BufferAttribute(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), 2),
    );
    this.geometry.setIndex([0, 1, 2, 2, 1, 3]);
    this.colour = new THREE.Color(colour);
    this.material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      side: THREE.DoubleSide,
      uniforms: {
        uPixel: shared.uPixel,
        uCut: shared.uCut,
        uHead: { value: head ? 1 : 0 },
        uRamped: { value: ramp ? 1 : 0 },
        uRamp: ramp ?? { value: null },
        uColour: { value: this.colour },
      },
      depthTest: !onTop,
      transparent: onTop,
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = onTop ? 5 : 0;
    this.capacity = 0;
    this.reserve(64);
    this.count = 0;
  }

  reserve(count) {
    if (count <= this.capacity) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(count)));
    this.geometry.dispose();
    this.from = new Float32Array(capacity * 4);
    this.to = new Float32Array(capacity * 4);
    this.geometry.setAttribute('from', new THREE.InstancedBufferAttribute(this.from, 4));
    this.geometry.setAttribute('to', new THREE.InstancedBufferAttribute(this.to, 4));
    this.capacity = capacity;
  }

  /** Starts a new set of up to `count` ribbons. */
  begin(count) {
    this.reserve(count);
    this.count = 0;
  }

  add(ax, ay, az, bx, by, bz, width, value) {
    const i = 4 * this.count++;
    this.from[i] = ax;
    this.from[i + 1] = ay;
    this.from[i + 2] = az;
    this.from[i + 3] = width;
    this.to[i] = bx;
    this.to[i + 1] = by;
    this.to[i + 2] = bz;
    this.to[i + 3] = value;
  }

  end() {
    this.geometry.instanceCount = this.count;
    for (const name of ['from', 'to']) {
      const a = this.geometry.attributes[name];
      a.clearUpdateRanges();
      a.addUpdateRange(0, 4 * this.count);
      a.needsUpdate = true;
    }
  }
}
