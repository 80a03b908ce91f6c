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

/** Comma-separated text of columns (arrays of one length). */
export function csv(names, columns) {
  const lines = [names.map((n) => (/[",\n]/.test(n) ? `"${n.replaceAll('"', '""')}"` : n)).join(',')];
  const rows = columns[0]?.length ?? 0;
  for (let r = 0; r < rows; r++)
    lines.push(columns.map((c) => (Number.isFinite(c[r]) ? String(c[r]) : '')).join(','));
  return lines.join('\n') + '\n';
}
