// What every shader of the viewer shares: how a pose is fetched, how a surface is lit, how the cut
// plane cuts. Used by spheres.js, solids.js and grid.js, so that all surfaces look of one piece.
import * as THREE from 'three';

/** Bodies per row of a state texture; a power of two. */
export const TEXTURE_WIDTH = 2048;

/** One object of uniforms, shared by reference among all materials. */
export function makeSharedUniforms() {
  return {
    uPositionA: { value: null },
    uPositionB: { value: null },
    uTurnA: { value: null },
    uTurnB: { value: null },
    uMix: { value: 1 },
    uViewToWorld: { value: new THREE.Matrix4() },
    uLight: { value: new THREE.Vector3(0.35, -0.45, 0.82).normalize() }, // world, towards the light
    uLightView: { value: new THREE.Vector3() },
    uSky: { value: new THREE.Color() },
    uSoil: { value: new THREE.Color() },
    uShadowOn: { value: 0 },
    uShadow: { value: null },
    uShadowMatrix: { value: new THREE.Matrix4() }, // view space to the shadow map
    uShadowTexel: { value: 0 }, // m, the width of one of its texels in the scene
    uCut: { value: new THREE.Vector4(0, 0, 0, 1e30) }, // view space: cut away where dot(xyz, p) > w
    uPixel: { value: new THREE.Vector2(1, 1) }, // viewport in pixels
  };
}

/** Fetching and mixing the two frames around the time on screen. */
export const POSE = /* glsl */ `
precision highp int;
uniform highp sampler2D uPositionA, uPositionB;
uniform highp isampler2D uTurnA, uTurnB;
uniform float uMix;

ivec2 texel(uint body) { return ivec2(int(body & ${TEXTURE_WIDTH - 1}u), int(body / ${TEXTURE_WIDTH}u)); }

// xyz: position; w: the value to colour by, negative where the body does not exist.
vec4 position(uint body) {
  vec4 a = texelFetch(uPositionA, texel(body), 0), b = texelFetch(uPositionB, texel(body), 0);
  return a.w < 0.0 ? b : b.w < 0.0 ? (uMix < 0.5 ? a : b) : mix(a, b, uMix);
}

vec4 turn(uint body) { // x, y, z, w
  vec4 a = vec4(texelFetch(uTurnA, texel(body), 0)), b = vec4(texelFetch(uTurnB, texel(body), 0));
  vec4 q = mix(a, dot(a, b) < 0.0 ? -b : b, uMix);
  float l = dot(q, q);
  return l > 0.0 ? q * inversesqrt(l) : vec4(0.0, 0.0, 0.0, 1.0);
}

vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;

/** Lighting and the cut plane, in view space. */
export const SHADE = /* glsl */ `
precision highp sampler2DShadow;
uniform vec3 uLightView, uSky, uSoil;
uniform mat4 uViewToWorld, uShadowMatrix;
uniform float uShadowOn, uShadowTexel;
uniform sampler2DShadow uShadow;
uniform vec4 uCut;

bool isCut(vec3 p) { return dot(uCut.xyz, p) > uCut.w; }

float lit(vec3 p, vec3 n) {
  if (uShadowOn < 0.5) return 1.0;
  float slope = 1.0 - abs(dot(n, uLightView));
  vec4 s = uShadowMatrix * vec4(p + n * uShadowTexel * (1.0 + 2.5 * slope), 1.0);
  if (any(lessThan(s.xyz, vec3(0.0))) || any(greaterThan(s.xyz, vec3(1.0)))) return 1.0;
  return texture(uShadow, s.xyz); // the hardware mixes four comparisons
}

// base is sRGB, as is the result; light is added in (nearly) linear: squares and roots are cheap.
vec3 shade(vec3 base, vec3 p, vec3 n) {
  vec3 albedo = base * base;
  float up = 0.5 + 0.5 * (mat3(uViewToWorld) * n).z;
  vec3 ambient = mix(uSoil, uSky, up);
  float direct = max(dot(n, uLightView), 0.0);
  float sun = direct > 0.0 ? direct * lit(p, n) : 0.0;
  vec3 h = normalize(uLightView - normalize(p));
  float shine = max(dot(n, h), 0.0);
  shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine; // to the 32nd
  return sqrt(albedo * (ambient + 0.72 * sun) + (sun > 0.0 ? 0.06 * shine : 0.0));
}
`;

/** The colours that bodies can have: `uColourBy` as in colours.js. */
export const PALETTE = /* glsl */ `
uniform int uColourBy;
uniform vec2 uRange; // of the value shown; the legend has the same
uniform highp sampler2D uRamp, uMaterials;

vec3 ramp(float t) { return texture(uRamp, vec2(clamp(t, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb; }
vec3 scaled(float v) { return ramp((v - uRange.x) / max(uRange.y - uRange.x, 1e-30)); }

vec3 colourOfId(uint id) {
  uint x = id * 2654435761u;
  float hue = fract(float(x >> 8) * (1.0 / 16777216.0)), light = 0.55 + 0.25 * float(x & 255u) / 255.0;
  vec3 k = abs(fract(vec3(hue) + vec3(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0;
  return light * mix(vec3(1.0), clamp(k, 0.0, 1.0), 0.55);
}
`;
