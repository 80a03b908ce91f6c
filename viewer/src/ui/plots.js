// Plots in the drawer below: numbers of the run, what its monitors measure, and numbers of bodies that were
// picked. uPlot draws; this file chooses the columns, keeps the data flowing and exports.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { $, h, button, check, download } from './dom.js';
import { csv } from '../history.js';
import { format } from '../colours.js';

const STAGES = ['find', 'match', 'colour', 'build', 'solve', 'position', 'audit', 'integrate'];

const PLOTS = {
  energies: {
    title: 'Energies (J)',
    columns: ['kinetic_energy', 'potential_energy', 'dissipated_energy'],
    names: ['kinetic', 'potential', 'dissipated'],
  },
  contacts: { title: 'Contacts', columns: ['contacts', 'active_contacts'], names: ['all', 'active'] },
  residual: {
    title: 'Residual (m/s)',
    columns: ['residual', 'max_residual'],
    names: ['mean', 'worst'],
    log: true,
  },
  overlap: {
    title: 'Overlap (m)',
    columns: ['max_penetration', 'mean_penetration'],
    names: ['worst', 'mean'],
  },
  time: {
    title: 'Time of a step by stage (ms)',
    columns: ['total_ms', ...STAGES.map((s) => `${s}_ms`)],
    names: ['total', ...STAGES],
  },
  bodies: {
    title: 'Bodies',
    columns: ['bodies', 'emitted', 'removed'],
    names: ['there', 'emitted', 'removed'],
  },
};
const BODY = {
  position: { title: 'position (m)', columns: ['x', 'y', 'z'] },
  velocity: { title: 'velocity (m/s)', columns: ['vx', 'vy', 'vz'] },
  force: { title: 'contact force (N)', columns: ['fx', 'fy', 'fz'] },
  spin: { title: 'spin (rad/s)', columns: ['wx', 'wy', 'wz'] },
};
const LINES = [
  '#4f9fe6',
  '#e08a3c',
  '#4fb286',
  '#c86aa0',
  '#9a8be0',
  '#c9b23c',
  '#48b0bd',
  '#d0695a',
  '#93a155',
];

/** Whole decades, six at most: uPlot's own choice for logarithms is too dense for a small plot. */
function decades(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9),
    last = Math.floor(Math.log10(high) + 1e-9),
    step = Math.max(1, Math.ceil((last - first) / 6));
  const out = [];
  for (let k = first; k <= last; k += step) out.push(10 ** k);
  return out;
}

/** What a plot is of: numbers of the run, of a body, or of a monitor. */
const ofRun = (key) => ({ key, id: key, body: null, ...PLOTS[key] });
const ofBody = (app, key, body) => ({
  ...BODY[key],
  key,
  id: `${key}-${body}`,
  body,
  title: `${app.model.nameOf(body)}: ${BODY[key].title}`,
});
function ofMonitor(monitor) {
  const units = monitor.channels.map((c) => c.unit),
    shared = units.every((u) => u === units[0]),
    named = (text, unit) => (unit ? `${text} (${unit})` : text);
  return {
    key: 'monitor',
    id: `monitor-${monitor.name}`,
    body: null,
    monitor: monitor.name,
    title: shared ? named(monitor.name, units[0]) : monitor.name,
    columns: monitor.channels.map((c) => c.name),
    names: monitor.channels.map((c) => {
      const short = c.name.slice(c.name.indexOf('.') + 1);
      return shared ? short : named(short, c.unit);
    }),
    units,
  };
}

class Plot {
  constructor(app, kind, remove) {
    Object.assign(this, {
      app,
      kind,
      key: kind.key,
      body: kind.body,
      title: kind.title,
      names: kind.names ?? kind.columns,
      zoomed: false,
      version: -1,
    });
    this.holder = h('div', {});
    this.missing = h(
      'p',
      { class: 'note', hidden: true },
      'Contacts were not recorded: there is no force to plot.',
    );
    this.element = h(
      'article',
      { class: 'plot', 'aria-label': this.title, 'data-plot': kind.id },
      h(
        'header',
        {},
        h('h3', { title: this.title }, this.title),
        button('CSV', () => this.saveCsv(), { title: 'Save the numbers' }),
        button('PNG', () => this.savePng(), { title: 'Save the picture' }),
        button('×', () => remove(this), { 'aria-label': `Remove the plot ${this.title}` }),
      ),
      this.missing,
      this.holder,
      kind.monitor && this.makeRanges(),
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
  }

  get history() {
    if (this.kind.monitor) return this.app.measures.get(this.kind.monitor);
    return this.body === null ? this.app.history : this.app.series.get(this.body);
  }

  /** Of a monitor: the least and the greatest value of each channel, of all steps. */
  makeRanges() {
    this.ranges = this.names.map((_, i) => h('span', { style: { color: LINES[i % LINES.length] } }));
    return h('p', { class: 'ranges', title: 'The least and the greatest value of all steps' }, this.ranges);
  }

  showRanges() {
    this.ranges.forEach((span, i) => {
      const [low, high] = this.history?.ranges[i] ?? [NaN, NaN],
        unit = this.kind.units[i];
      span.textContent = `${this.names[i]}: ${format(low)} to ${format(high)}${unit ? ` ${unit}` : ''}`;
    });
  }

  /** The axis on which a line is measured: one for each unit. */
  scaleOf(i) {
    const { units } = this.kind;
    return units && units[i] !== units[0] ? `y ${units[i]}` : 'y';
  }

  data() {
    if (this.kind.monitor) return this.history?.lines() ?? [[], ...this.names.map(() => [])];
    const history = this.history,
      time = history?.column('time') ?? new Float64Array(0);
    const clean = (c) =>
      this.kind.log
        ? Array.from(c, (v) => (v > 0 ? v : null))
        : Array.from(c, (v) => (Number.isFinite(v) ? v : null));
    return [
      time,
      ...this.kind.columns.map((name) => {
        const c = history?.column(name);
        return c ? clean(c) : new Array(time.length).fill(null);
      }),
    ];
  }

  make() {
    const style = getComputedStyle(document.documentElement),
      ink = style.getPropertyValue('--quiet').trim(),
      line = style.getPropertyValue('--line').trim();
    const axis = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 },
      font: '11px system-ui, sans-serif',
    };
    const width = Math.max(200, this.element.clientWidth - 16);
    const others = [...new Set(this.names.map((_, i) => this.scaleOf(i)))].filter((s) => s !== 'y');
    this.holder.replaceChildren();
    this.plot = new uPlot(
      {
        width,
        height: 150,
        scales: { x: { time: false }, y: this.kind.log ? { distr: 3, log: 10 } : {} },
        axes: [
          { ...axis, size: 28, values: (_, v) => v.map((x) => `${Number(x.toPrecision(6))}`) },
          {
            ...axis,
            size: 58,
            values: (_, v) => v.map((x) => (x === null ? '' : format(x))),
            ...(this.kind.log
              ? { splits: (_u, _axis, low, high) => decades(low, high), filter: (_u, splits) => splits }
              : {}),
          },
          ...others.map((scale) => ({
            ...axis,
            scale,
            side: 1,
            size: 50,
            grid: { show: false },
            values: (_, v) => v.map((x) => (x === null ? '' : format(x))),
          })),
        ],
        series: [
          { label: 't', value: (_, v) => (v === null ? '–' : `${format(v)} s`) },
          ...this.names.map((label, i) => ({
            label,
            scale: this.scaleOf(i),
            stroke: LINES[i % LINES.length],
            width: 1.5,
            points: { show: false },
            spanGaps: !this.kind.monitor,
            value: (_, v) => format(v),
          })),
        ],
        cursor: { drag: { x: true, y: false } },
        hooks: {
          setSelect: [
            (u) => {
              if (u.select.width > 0) this.zoomed = true;
            },
          ],
          draw: [(u) => this.drawNow(u, ink)],
          ready: [
            (u) =>
              u.over.addEventListener('dblclick', () => {
                this.zoomed = false;
                this.refresh(true);
              }),
          ],
        },
      },
      this.data(),
      this.holder,
    );
    this.version = this.history?.version ?? -1;
  }

  /** Recordings: a line at the time on screen. */
  drawNow(u, ink) {
    if (!this.app.recording) return;
    const x = Math.round(u.valToPos(this.app.player.time, 'x', true)),
      { left, top, width, height } = u.bbox;
    if (!(x >= left && x <= left + width)) return;
    u.ctx.fillStyle = ink;
    u.ctx.fillRect(x, top, Math.max(1, devicePixelRatio), height);
  }

  refresh(force = false) {
    this.missing.hidden = this.key !== 'force' || this.app.contactsKnown;
    const version = this.history?.version ?? -1;
    if (this.ranges && (version !== this.version || this.source !== this.history)) this.showRanges();
    if (!this.plot) this.make();
    else if (force || version !== this.version || this.source !== this.history) {
      this.plot.setData(this.data(), !this.zoomed);
      if (this.zoomed) this.plot.redraw();
      this.version = version;
    } else if (this.app.recording && this.shownTime !== this.app.player.time) this.plot.redraw(false);
    this.shownTime = this.app.player.time;
    this.source = this.history;
  }

  resize() {
    const width = Math.max(200, this.element.clientWidth - 16);
    if (this.plot && Math.abs(this.plot.width - width) > 2) this.plot.setSize({ width, height: 150 });
  }

  get fileName() {
    return this.title
      .replace(/[^\w]+/g, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase();
  }

  saveCsv() {
    const history = this.history;
    if (!history) return;
    if (this.kind.monitor) return this.saveMeasures(history);
    const columns = ['time', ...this.kind.columns].filter((c) => history.column(c));
    download(
      new Blob(
        [
          csv(
            columns,
            columns.map((c) => history.column(c)),
          ),
        ],
        { type: 'text/csv' },
      ),
      `${this.fileName}.csv`,
    );
  }

  /** Rows with the last, the least and the greatest value of the steps that they stand for. */
  saveMeasures(history) {
    const names = this.kind.columns.flatMap((c) => [c, `${c} least`, `${c} greatest`]),
      columns = [1, ...names.map((_, i) => i + 2)].map((i) => history.column(i));
    download(new Blob([csv(['time', ...names], columns)], { type: 'text/csv' }), `${this.fileName}.csv`);
  }

  savePng() {
    const source = this.plot.ctx.canvas,
      ratio = devicePixelRatio,
      canvas = document.createElement('canvas'),
      head = 40 * ratio;
    canvas.width = source.width;
    canvas.height = source.height + head;
    const c = canvas.getContext('2d'),
      style = getComputedStyle(document.documentElement);
    c.fillStyle = style.getPropertyValue('--sunk');
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.scale(ratio, ratio);
    c.fillStyle = style.getPropertyValue('--text');
    c.font = '600 13px system-ui, sans-serif';
    c.fillText(this.title, 8, 16);
    c.font = '12px system-ui, sans-serif';
    let x = 8;
    this.names.forEach((name, i) => {
      c.fillStyle = LINES[i % LINES.length];
      c.fillText(name, x, 33);
      x += c.measureText(name).width + 12;
    });
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(source, 0, head);
    canvas.toBlob((blob) => blob && download(blob, `${this.fileName}.png`), 'image/png');
  }

  dispose() {
    this.observer.disconnect();
    this.plot?.destroy();
    this.element.remove();
  }
}

export class Plots {
  constructor(app) {
    this.app = app;
    this.list = [];
    const choose = $('add-plot');
    choose.append(
      h('option', { value: '' }, 'Add a plot…'),
      ...Object.entries(PLOTS).map(([key, p]) => h('option', { value: key }, p.title)),
      h(
        'optgroup',
        { label: 'Picked body', id: 'add-body-plot' },
        Object.entries(BODY).map(([key, p]) => h('option', { value: `body:${key}` }, `its ${p.title}`)),
      ),
    );
    choose.addEventListener('change', () => {
      const [kind, key] = choose.value.includes(':') ? choose.value.split(':') : ['', choose.value];
      if (kind === 'body') {
        if (app.picked === null) app.say('Pick a body first.');
        else this.add(ofBody(app, key, app.picked));
      } else if (key) this.add(ofRun(key));
      choose.value = '';
    });
    $('open-plots').addEventListener('click', () => this.show($('plots').hidden));
    $('close-plots').addEventListener('click', () => this.show(false));
    app.on('toggle-plots', () => this.show($('plots').hidden));
    app.on('numbers hello frame drawn', () => this.schedule());
    app.on('hello', () => this.listMonitors());
    app.on('monitors', () => this.followMonitors());
    app.on('theme', () => {
      for (const p of this.list) {
        p.plot?.destroy();
        p.plot = null;
      }
      this.schedule();
    });
  }

  show(open) {
    if (!open && $('plots').contains(document.activeElement)) $('open-plots').focus();
    $('plots').hidden = !open;
    $('open-plots').setAttribute('aria-expanded', String(open));
    if (open && this.list.length === 0) {
      this.add(ofRun('energies'));
      this.add(ofRun('contacts'));
    }
    this.schedule();
  }

  /** One checkbox per monitor; which of them are plotted stays, as far as they are there. */
  listMonitors() {
    const monitors = this.app.hello.monitors ?? [];
    this.boxes = new Map(
      monitors.map((m) => {
        const units = [...new Set(m.channels.map((c) => c.unit).filter(Boolean))].join(', ');
        return [
          m.name,
          check(units ? `${m.name} (${units})` : m.name, false, (on) => this.app.monitor(m.name, on)),
        ];
      }),
    );
    for (const [name, box] of this.boxes) box.box.id = `monitor-${name}`;
    $('monitor-list').replaceChildren(
      h('legend', { class: 'hidden' }, 'Monitors'),
      h('span', { class: 'quiet', 'aria-hidden': 'true' }, 'Monitors:'),
      ...this.boxes.values(),
    );
    $('monitor-list').hidden = monitors.length === 0;
    this.followMonitors();
  }

  /** Checkboxes and plots as the app says. */
  followMonitors() {
    const { monitored, hello } = this.app;
    for (const [name, box] of this.boxes ?? []) box.box.checked = monitored.has(name);
    for (const plot of this.list.filter((p) => p.kind.monitor)) {
      const now = hello.monitors.find((m) => m.name === plot.kind.monitor);
      if (!monitored.has(plot.kind.monitor) || ofMonitor(now).columns.join() !== plot.kind.columns.join())
        this.discard(plot); // gone, or another one of that name
    }
    for (const m of hello.monitors ?? [])
      if (monitored.has(m.name) && !this.list.some((p) => p.kind.monitor === m.name)) this.add(ofMonitor(m));
  }

  /** A plot of a body, from its panel. */
  addBody(key, body) {
    this.add(ofBody(this.app, key, body));
  }

  add(kind) {
    const same = this.list.find((p) => p.kind.id === kind.id);
    if (!same) {
      const plot = new Plot(this.app, kind, (p) => this.remove(p)),
        { body } = kind;
      if (body !== null && !this.app.plotted.has(body)) this.app.watch(body);
      this.list.push(plot);
      $('plot-list').append(plot.element);
    }
    this.show(true);
    (same ?? this.list[this.list.length - 1]).element.scrollIntoView?.({
      block: 'nearest',
      inline: 'nearest',
    });
  }

  discard(plot) {
    this.list = this.list.filter((p) => p !== plot);
    plot.dispose();
  }

  remove(plot) {
    this.discard(plot);
    if (plot.kind.monitor) this.app.monitor(plot.kind.monitor, false);
    if (plot.body !== null && !this.list.some((p) => p.body === plot.body)) this.app.unwatch(plot.body);
    $('add-plot').focus();
  }

  /** Redraws four times a second at most. */
  schedule() {
    if (this.timer || $('plots').hidden) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!$('plots').hidden) for (const p of this.list) p.refresh();
    }, 250);
  }
}
