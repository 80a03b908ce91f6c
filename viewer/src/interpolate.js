// Time between frames: where it lies, how it passes, how orientations turn from one to the next. Pure.

/** The frame at or before `time` and how far on to the next one, 0 to 1. `times` rise. */
export function locate(times, time) {
  const n = times.length;
  if (n === 0) return { index: -1, mix: 0 };
  if (!(time > times[0])) return { index: 0, mix: 0 };
  if (time >= times[n - 1]) return { index: n - 1, mix: 0 };
  let low = 0,
    high = n - 1; // times[low] <= time < times[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return { index: low, mix: (time - times[low]) / (times[high] - times[low]) };
}

/** The time after `seconds` of playing at `speed` (negative: backwards) between first and last.
 *  Returns { time, ended }: with `loop`, it never ends. */
export function advance(time, seconds, speed, loop, first, last) {
  const next = time + seconds * speed,
    span = last - first;
  if (next >= first && next <= last) return { time: next, ended: false };
  if (!(span > 0)) return { time: first, ended: true };
  if (loop) return { time: first + ((((next - first) % span) + span) % span), ended: false };
  return { time: next > last ? last : first, ended: true };
}

/** Normalised linear interpolation of a[at..] and b[at..] (any scale, either sign) to out[0..3]. */
export function nlerp(a, b, at, mix, out) {
  let dot = 0,
    length = 0;
  for (let k = 0; k < 4; k++) dot += a[at + k] * b[at + k];
  const sign = dot < 0 ? -1 : 1;
  for (let k = 0; k < 4; k++) {
    out[k] = a[at + k] * (1 - mix) + sign * b[at + k] * mix;
    length += out[k] * out[k];
  }
  if (length === 0) {
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    return;
  }
  length = 1 / Math.sqrt(length);
  for (let k = 0; k < 4; k++) out[k] *= length;
}

/** How far from the last frame to the newest one, `since` ms after the newest came, when frames come
 *  every `interval` ms: live pictures move on smoothly and are late by one frame at most. */
export function liveMix(since, interval) {
  const span = Math.min(250, Math.max(1, interval));
  return Math.min(1, Math.max(0, since / span));
}
