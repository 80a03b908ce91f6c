// Spheres as impostors: one triangle a ball, on which the fragment shader meets a ray with the sphere
// and writes its depth. There are no vertices in memory: the shader takes the ball from textures by the
// vertex' number. A million balls are three million vertices in one draw.
// view.js draws them twice: for the picture, and (the same geometry) for the shadow map.
import * as THREE from 'three';
import { POSE, SHADE, PALETTE, TEXTURE_WIDTH } from './shading.js';

// The triangle stands at the centre, faces the eye and has the silhouette as its inner circle.
const CORNER = /* glsl */ `
  uint ball = uint(gl_VertexID) / 3u, nth = uint(gl_VertexID) - 3u * ball;
  vec4 local = texelFetch(uLocal, texel(ball), 0);   // offset in the body's frame, radius
  uvec2 owner = texelFetch(uOwner, texel(ball), 0).xy; // slot of the body; material, fixed flag << 8
  vec2 corner = nth == 0u ? vec2(-1.7320508, -1.0) : nth == 1u ? vec2(1.7320508, -1.0) : vec2(0.0, 2.0);
  uint body = owner.x;
  vec4 p = position(body);
  vec4 q = turn(body);
  vec3 centre = p.xyz + rotate(q, local.xyz);
  vCentre = (viewMatrix * vec4(centre, 1.0)).xyz;
  vRadius = local.w * uShrink;
  vec3 view = isOrthographic ? vec3(0.0, 0.0, 1.0) : -vCentre;
  float d2 = dot(view, view), r2 = vRadius * vRadius;
  float size = isOrthographic ? vRadius : vRadius * sqrt(d2 / max(d2 - r2, 1e-12 * d2));
  bool gone = p.w < 0.0 || vRadius <= 0.0 || (!isOrthographic && (d2 <= r2 * 1.0001 || vCentre.z > vRadius));
  vec3 forward = normalize(view);
  vec3 side = normalize(cross(abs(forward.y) < 0.99 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), forward));
  vPoint = vCentre + size * 1.02 * (corner.x * side + corner.y * cross(forward, side));
  gl_Position = gone ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(vPoint, 1.0);
`;

const HEAD = /* glsl */ `
precision highp float;
uniform highp sampler2D uLocal;
uniform highp usampler2D uOwner;
uniform float uShrink; // balls are drawn smaller to show what lies between them
uniform mat4 viewMatrix, projectionMatrix;
uniform bool isOrthographic;
out vec3 vPoint, vCentre;
out float vRadius;
`;

const VERTEX = `${HEAD}
${POSE}
flat out vec4 vTurn;
flat out uvec2 vOwner;
flat out float vValue;
uniform int uColourBy;
void main() {
${CORNER}
  vTurn = q;
  vOwner = uvec2(body, owner.y);
  vValue = uColourBy == 3 ? local.w : p.w;
}
`;

// Where the ray through a pixel meets the sphere. q: from the ray's nearest point to the centre.
const RAY = /* glsl */ `
precision highp float;
precision highp int;
in vec3 vPoint, vCentre;
in float vRadius;
uniform mat4 projectionMatrix;
uniform bool isOrthographic;
struct Ray { vec3 origin, way; float middle, half_chord, miss; };
Ray ray() {
  Ray r;
  r.origin = isOrthographic ? vec3(vPoint.xy, 0.0) : vec3(0.0);
  r.way = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(vPoint);
  vec3 to = vCentre - r.origin;
  r.middle = dot(to, r.way);
  vec3 q = to - r.middle * r.way;
  float q2 = dot(q, q);
  r.miss = sqrt(q2) / vRadius;
  r.half_chord = sqrt(max(vRadius * vRadius - q2, 0.0));
  return r;
}
float depthOf(vec3 p) {
  vec4 c = projectionMatrix * vec4(p, 1.0);
  return 0.5 + 0.5 * c.z / c.w;
}
`;

const FRAGMENT = `${RAY}
${SHADE}
${PALETTE}
flat in vec4 vTurn;
flat in uvec2 vOwner;
flat in float vValue;
uniform uint uPicked;
uniform vec3 uPickedColour, uFixedColour;
uniform float uMarks, uHard;
out vec4 colour;

vec3 baseColour() {
  if ((vOwner.y & 256u) != 0u) return uFixedColour;
  if (uColourBy == 0) return texelFetch(uMaterials, ivec2(int(vOwner.y & 255u), 0), 0).rgb;
  if (uColourBy == 4) return colourOfId(vOwner.x);
  if (uColourBy > 4) return uFixedColour; // what it would be coloured by is not known
  return scaled(vValue);
}

void main() {
  Ray r = ray();
  float soft = max(fwidth(r.miss), 1e-5);
  float cover = clamp((1.0 - r.miss) / soft + 0.5, 0.0, 1.0);
  if (cover <= uHard) discard;
  vec3 hit = r.origin + r.way * (r.middle - r.half_chord);
  vec3 normal = normalize(hit - vCentre);
  bool cap = isCut(hit);
  if (cap) { // the near side is cut away: show the inside of the ball, flat, in the legend's colour
    vec3 back = r.origin + r.way * (r.middle + r.half_chord);
    if (isCut(back)) discard;
    float t = (uCut.w - dot(uCut.xyz, r.origin)) / dot(uCut.xyz, r.way);
    hit = r.origin + r.way * t;
    normal = uCut.xyz;
  }
  vec3 base = baseColour();
  if (uMarks > 0.5) { // two tones and a ring that turn with the body
    vec3 n = mat3(uViewToWorld) * normal;
    n = n + 2.0 * cross(-vTurn.xyz, cross(-vTurn.xyz, n) + vTurn.w * n);
    float w = fwidth(n.z) + 1e-4;
    base *= mix(1.0, 0.78, smoothstep(-w, w, n.x));
    base = mix(base, base * 0.35, 1.0 - smoothstep(0.12 - w, 0.12 + w, abs(n.z)));
  }
  vec3 c = cap ? base : shade(base, hit, normal);
  if (vOwner.x == uPicked) {
    float rim = pow(1.0 - max(dot(normal, -r.way), 0.0), 1.5);
    c = mix(c, uPickedColour, 0.35 + 0.65 * rim);
  }
  colour = vec4(c, cover);
  gl_FragDepth = depthOf(hit);
}
`;

const SHADOW_VERTEX = `${HEAD}
${POSE}
void main() {
${CORNER}
}
`;

const SHADOW_FRAGMENT = `${RAY}
void main() {
  Ray r = ray();
  if (r.miss > 1.0) discard;
  gl_FragDepth = depthOf(r.origin + r.way * (r.middle - r.half_chord));
}
`;

function table(array, width) {
  const integers = array instanceof Uint32Array;
  const t = new THREE.DataTexture(
    array,
    TEXTURE_WIDTH,
    array.length / width / TEXTURE_WIDTH,
    integers ? THREE.RGIntegerFormat : THREE.RGBAFormat,
    integers ? THREE.UnsignedIntType : THREE.FloatType,
  );
  if (integers) t.internalFormat = 'RG32UI';
  return t;
}

export class Spheres {
  /** `hard`: edges without smoothing, where the picture has one sample a pixel. */
  constructor(shared, palette, hard) {
    this.geometry = new THREE.BufferGeometry();
    this.balls = { uLocal: { value: null }, uOwner: { value: null }, uShrink: { value: 1 } };
    this.uniforms = {
      ...shared,
      ...palette,
      ...this.balls,
      uPicked: { value: 0xffffffff },
      uPickedColour: { value: new THREE.Color(1, 0.55, 0.1) },
      uFixedColour: { value: new THREE.Color(0.6, 0.6, 0.62) },
      uMarks: { value: 0 },
      uHard: { value: hard ? 0.5 : 0 },
    };
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: this.uniforms,
      alphaToCoverage: !hard,
      // Coverage is no opacity: the picture stays opaque.
      blending: THREE.CustomBlending,
      blendSrc: THREE.OneFactor,
      blendDst: THREE.ZeroFactor,
      blendSrcAlpha: THREE.ZeroFactor,
      blendDstAlpha: THREE.OneFactor,
    });
    const shadow = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: SHADOW_VERTEX,
      fragmentShader: SHADOW_FRAGMENT,
      uniforms: { ...shared, ...this.balls },
      colorWrite: false,
    });
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.caster = new THREE.Mesh(this.geometry, shadow);
    this.mesh.frustumCulled = this.caster.frustumCulled = false;
    this.update(0);
  }

  /** Takes the model's table of balls; its arrays are used as they are. */
  take(balls) {
    const { uLocal, uOwner } = this.balls;
    if (uLocal.value?.image.data !== balls.local) {
      // arrays of a new size need new textures
      uLocal.value?.dispose();
      uOwner.value?.dispose();
      uLocal.value = table(balls.local, 4);
      uOwner.value = table(balls.owner, 2);
    }
    uLocal.value.needsUpdate = uOwner.value.needsUpdate = true;
    this.update(balls.count);
  }

  update(count) {
    this.geometry.setDrawRange(0, 3 * count);
  }
}
