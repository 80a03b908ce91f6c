// Which colours bodies have, and what the legend says of them. Pure; render/view.js makes textures
// of these tables.

/** What bodies can be coloured by, in the order that the shader knows. */
export const COLOUR_BY = [
  { key: 'material', label: 'Material', unit: '' },
  { key: 'speed', label: 'Speed', unit: 'm/s' },
  { key: 'force', label: 'Contact force', unit: 'N' },
  { key: 'size', label: 'Radius', unit: 'm' },
  { key: 'id', label: 'Body', unit: '' },
];

const STOPS = ['#5454b8', '#3c84c8', '#2fb0a8', '#8cc56e', '#efc94c', '#e8793a', '#d0354d'];
const MATERIALS = [
  '#8fa9c4',
  '#d9a066',
  '#7fb08a',
  '#c98aa5',
  '#a393cf',
  '#d1c06a',
  '#6fb3bf',
  '#c77b63',
  '#9aa66b',
  '#b0a8a0',
];

export function rgb(hex) {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** The ramp at 0 to 1, as three numbers of 0 to 255. */
export function rampAt(t) {
  const x = Math.min(1, Math.max(0, t)) * (STOPS.length - 1),
    i = Math.min(STOPS.length - 2, Math.floor(x));
  const a = rgb(STOPS[i]),
    b = rgb(STOPS[i + 1]),
    f = x - i;
  return a.map((v, k) => Math.round(v + (b[k] - v) * f));
}

/** 256 x 4 bytes. */
export function rampTable() {
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) table.set([...rampAt(i / 255), 255], 4 * i);
  return table;
}

export const RAMP_CSS = `linear-gradient(to right, ${STOPS.join(', ')})`;

/** The colour of material `index` as css. */
export function materialCss(index) {
  return MATERIALS[index % MATERIALS.length];
}

/** 256 x 4 bytes, by index of the material. */
export function materialTable() {
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) table.set([...rgb(materialCss(i)), 255], 4 * i);
  return table;
}

/** The next number of 1, 2 or 5 times a power of ten at or above `value`: a top for a legend that
 *  does not jitter. */
export function roundUp(value) {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
  for (const m of [1, 2, 5, 10]) if (m * power >= value * (1 - 1e-9)) return m * power;
  return 10 * power;
}

/** A number for people: four digits at most, no trailing zeros. */
export function format(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const a = Math.abs(value);
  if (a >= 1e5 || a < 1e-3) return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}
