// Playing a recording: the time on screen, and which frames to ask for. main.js calls tick() once a
// picture and wires `request` to the connection.
import { advance, locate } from './interpolate.js';

const WAITING = 4; // requests on their way at most
const RETRY_MS = 4000;

export class Player {
  /** `request(index, base, latest)` asks the server; `base` -1: full. `changed()`: something to show. */
  constructor(model, request, changed) {
    Object.assign(this, { model, request, changed });
    this.reset();
    this.speed = 1;
    this.loop = true;
  }

  reset() {
    this.time = this.model.times[0] ?? 0;
    this.playing = false;
    this.waiting = new Map(); // index -> when it was asked for
    this.sought = false;
  }

  get first() {
    return this.model.times[0] ?? 0;
  }
  get last() {
    return this.model.times[this.model.times.length - 1] ?? 0;
  }

  play(on) {
    if (on && !this.loop && this.speed > 0 && this.time >= this.last) this.time = this.first;
    this.playing = on;
    this.changed();
  }

  seek(time) {
    this.time = Math.min(this.last, Math.max(this.first, time));
    this.sought = true;
    this.changed();
  }

  /** Stops at a whole frame, `count` frames on (negative: back). */
  stepFrames(count) {
    const { index, mix } = locate(this.model.times, this.time + 1e-12);
    if (index < 0) return;
    this.playing = false;
    const at = count < 0 && mix > 1e-6 ? index + count + 1 : index + count;
    this.seek(this.model.times[Math.min(this.model.times.length - 1, Math.max(0, at))]);
  }

  /** `seconds` since the last call. Never runs ahead of the frames that are here. */
  tick(seconds) {
    const { times } = this.model;
    if (times.length === 0) return;
    if (this.playing && this.ready(this.time)) {
      const next = advance(this.time, Math.min(seconds, 0.25), this.speed, this.loop, this.first, this.last);
      this.time = next.time;
      if (next.ended) this.playing = false;
      this.changed();
    }
    this.fetch();
    const { index, mix } = locate(times, this.time);
    const a = this.model.frames.get(index),
      b = mix > 0 ? this.model.frames.get(index + 1) : a;
    if (a && b) this.model.show(a, b, mix > 0 ? mix : 1);
  }

  ready(time) {
    const { index, mix } = locate(this.model.times, time);
    return this.model.frames.has(index) && (mix === 0 || this.model.frames.has(index + 1));
  }

  fetch() {
    const { times, frames } = this.model;
    const { index } = locate(times, this.time),
      way = this.speed < 0 ? -1 : 1;
    const now = Date.now();
    for (const [at, when] of this.waiting)
      if (frames.has(at) || now - when > RETRY_MS) this.waiting.delete(at);
    const ahead = Math.min(8, this.model.cacheSize - 3);
    let latest = this.sought; // a jump: what was asked for before is not wanted any more
    this.sought = false;
    if (latest && !frames.has(index)) this.waiting.clear();
    else latest = false;
    const order = [index, index + 1];
    if (this.playing) for (let k = 1; k <= ahead; k++) order.push(way > 0 ? index + 1 + k : index - k);
    for (let at of order) {
      if (this.loop && this.playing) at = ((at % times.length) + times.length) % times.length;
      if (at < 0 || at >= times.length || frames.has(at) || this.waiting.has(at)) continue;
      if (this.waiting.size >= WAITING) break;
      this.waiting.set(at, now);
      this.request(at, frames.has(at - 1) ? at - 1 : -1, latest);
      latest = false;
    }
  }

  /** A frame came whose base was dropped meanwhile. */
  lost(index) {
    this.waiting.delete(index);
  }
}
