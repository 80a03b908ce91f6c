// Numbers over time for the plots: rows that grow at the end, thinned out when there are too many so
// that a run of any length fits. Pure.

const MOST = 8192;

export class History {
  constructor(columns) {
    this.columns = columns;
    this.at = columns.indexOf('time');
    this.clear();
  }

  clear() {
    this.rows = 0;
    this.stride = 1; // of the rows offered, one in so many is kept
    this.offered = 0;
    this.data = this.columns.map(() => new Float64Array(1024));
    this.version = (this.version ?? 0) + 1;
  }

  get lastTime() {
    return this.rows ? this.data[this.at][this.rows - 1] : -Infinity;
  }

  /** Appends rows (row-major, `width` columns a row). Rows that are not later than the last are left out. */
  add(values, width, count) {
    for (let r = 0; r < count; r++) {
      const time = values[r * width + this.at];
      if (!(time > this.lastTime)) continue;
      if (this.offered++ % this.stride !== 0 && r !== count - 1) continue;
      this.push(values, r * width, width);
    }
    this.version++;
  }

  push(values, from, width) {
    if (this.rows === MOST) this.thin();
    if (this.rows === this.data[0].length)
      this.data = this.data.map((old) => {
        const next = new Float64Array(2 * old.length);
        next.set(old);
        return next;
      });
    for (let c = 0; c < this.columns.length; c++)
      this.data[c][this.rows] = c < width ? values[from + c] : NaN;
    this.rows++;
  }

  thin() {
    // every other row goes, the last one stays
    const n = this.rows;
    let kept = 0;
    for (let r = 1 - (n % 2); r < n; r += 2, kept++) for (const column of this.data) column[kept] = column[r];
    this.rows = kept;
    this.stride *= 2;
  }

  /** A column by name, as far as it is filled; null if there is none. */
  column(name) {
    const c = this.columns.indexOf(name);
    return c < 0 ? null : this.data[c].subarray(0, this.rows);
  }
}

/** What a monitor measured, in rows as the server sends them: steps, time, and for each channel the last, the
 *  least and the greatest value of the steps since the row before. Rows are put together when there are too many,
 *  so that no peak is lost. */
export class Measures {
  constructor(channels) {
    this.channels = channels; // { name, unit }
    this.width = 2 + 3 * channels.length;
    this.data = new Float64Array(256 * this.width);
    this.rows = this.version = 0;
    this.stride = 1; // steps that a row may stand for once there are too many
    this.ranges = channels.map(() => [NaN, NaN]); // of all there ever was
  }

  /** Appends rows (row-major). Rows that are not later than the last are left out. */
  add(values, width, count) {
    for (let r = 0; r < count && width === this.width; r++) {
      const from = r * width;
      if (this.rows && !(values[from] > this.data[(this.rows - 1) * width])) continue;
      if (this.rows === MOST) this.thin();
      if ((this.rows + 1) * width > this.data.length) {
        const next = new Float64Array(2 * this.data.length);
        next.set(this.data);
        this.data = next;
      }
      this.data.set(values.subarray(from, from + width), this.rows++ * width);
      this.ranges.forEach((range, c) => {
        range[0] = lesser(range[0], values[from + 3 + 3 * c]);
        range[1] = greater(range[1], values[from + 4 + 3 * c]);
      });
    }
    this.version++;
  }

  thin() {
    const { data, width } = this;
    for (let again = false; this.rows > MOST / 2; again = true) {
      if (again) this.stride *= 2; // that was not enough
      let kept = 0,
        start = 0; // steps before the row that is kept last
      for (let r = 0; r < this.rows; r++) {
        const from = r * width,
          to = (kept - 1) * width;
        if (kept && data[from] - start <= this.stride) this.fold(from, to);
        else {
          if (kept) start = data[to];
          data.copyWithin(kept++ * width, from, from + width);
        }
      }
      this.rows = kept;
    }
  }

  /** Puts the row at `from` to the one at `to`. */
  fold(from, to) {
    const d = this.data;
    d[to] = d[from];
    d[to + 1] = d[from + 1];
    for (let c = 2; c < this.width; c += 3) {
      d[to + c] = d[from + c];
      d[to + c + 1] = lesser(d[to + c + 1], d[from + c + 1]);
      d[to + c + 2] = greater(d[to + c + 2], d[from + c + 2]);
    }
  }

  /** One column: 0 steps, 1 time, 2 + 3 c the last, the least and the greatest value of channel c. */
  column(index) {
    return Float64Array.from({ length: this.rows }, (_, r) => this.data[r * this.width + index]);
  }

  /** Points of lines to draw: times, then values of each channel. A row for several steps is three points at one
   *  time, so that its line goes down to the least and up to the greatest value. */
  lines() {
    const { data, width, channels } = this,
      out = [[], ...channels.map(() => [])],
      value = (v) => (Number.isFinite(v) ? v : null);
    for (let r = 0; r < this.rows; r++) {
      const at = r * width;
      let one = true;
      for (let c = 2; c < width; c += 3) one &&= !(data[at + c + 1] < data[at + c + 2]);
      for (const k of one ? [0] : [1, 2, 0]) {
        out[0].push(data[at + 1]);
        for (let c = 0; c < channels.length; c++) out[c + 1].push(value(data[at + 2 + 3 * c + k]));
      }
    }
    return out;
  }
}

// of a number and NaN, the number
const lesser = (a, b) => (a < b || Number.isNaN(b) ? a : b);
const greater = (a, b) => (a > b || Number.isNaN(b) ? a : b);

/** Comma-separated text of columns (arrays of one length). */
export function csv(names, columns) {
  const lines = [names.map((n) => (/[",\n]/.test(n) ? `"${n.replaceAll('"', '""')}"` : n)).join(',')];
  const rows = columns[0]?.length ?? 0;
  for (let r = 0; r < rows; r++)
    lines.push(columns.map((c) => (Number.isFinite(c[r]) ? String(c[r]) : '')).join(','));
  return lines.join('\n') + '\n';
}
