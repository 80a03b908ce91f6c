// The address' hash: camera, time and looks, so that a link shows the same again. What is in it comes
// from anybody: every part is checked, and what makes no sense is left out.
import { COLOUR_BY } from './colours.js';

const number = (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : null);
const short = (value) => String(Number(value.toPrecision(7)));

/** The part of a link after '#'. `link`: { camera, time, colour, picked, speed }, each optional. */
export function writeHash(link) {
  const parts = [];
  if (link.camera) {
    const c = link.camera;
    parts.push(
      `cam=${[...c.target, c.turn, c.height, c.distance].map(short).join(',')},${c.orthographic ? 'o' : 'p'}`,
    );
  }
  if (Number.isFinite(link.time)) parts.push(`t=${short(link.time)}`);
  if (link.colour) parts.push(`colour=${encodeURIComponent(link.colour)}`);
  if (Number.isInteger(link.picked)) parts.push(`body=${link.picked}`);
  if (Number.isFinite(link.speed) && link.speed !== 1) parts.push(`speed=${short(link.speed)}`);
  return parts.join('&');
}

export function readHash(text) {
  const link = {};
  for (const part of text.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    const name = part.slice(0, at),
      value = part.slice(at + 1);
    if (name === 'cam') {
      const camera = readCamera(value.split(','));
      if (camera) link.camera = camera;
    } else if (name === 't' && number(value) !== null) link.time = number(value);
    else if (name === 'colour' && COLOUR_BY.some((c) => c.key === value)) link.colour = value;
    else if (name === 'body' && /^\d{1,10}$/.test(value)) link.picked = Number(value);
    else if (name === 'speed' && number(value) > 0) link.speed = number(value);
  }
  return link;
}

function readCamera(parts) {
  if (parts.length !== 7 || !['o', 'p'].includes(parts[6])) return null;
  const n = parts.slice(0, 6).map(number);
  if (n.includes(null) || n[5] <= 0) return null;
  return { target: n.slice(0, 3), turn: n[3], height: n[4], distance: n[5], orthographic: parts[6] === 'o' };
}
