// The page's middle: owns the connection, the model, the picture and the player, turns messages into
// events for the panels and what people do into commands. ui/ listens through on().
import { Connection } from './connection.js';
import { KIND } from './protocol.js';
import { Model } from './model.js';
import { Player } from './player.js';
import { View } from './render/view.js';
import { History, Measures } from './history.js';
import { Materials } from './materials.js';
import { liveMix } from './interpolate.js';
import { roundUp } from './colours.js';
import { readHash, writeHash } from './hash.js';

const CREDITS = 2; // groups on their way: hides the way there and back
const MOST_CONTACTS = 20000; // of the largest impulses
const LEGEND_HOLD = 2000; // ms before a legend's top goes down
const COARSEST = 3; // see View.setCoarse()

export class App {
  constructor(canvas) {
    this.listeners = new Map();
    this.model = new Model();
    this.view = new View(canvas, this.model);
    this.player = new Player(
      this.model,
      (index, base, latest) => this.requestFrame(index, base, latest),
      () => this.invalidate(),
    );
    this.link = readHash(location.hash);
    this.options = {
      colour: this.link.colour ?? 'material',
      contacts: false,
      chains: false,
      arrows: false,
      joints: true,
      follow: false,
      tool: 'look',
      keysChange: false, // keys change physics
    };
    this.plotted = new Set(); // bodies that plots watch
    this.status = {
      running: false,
      real_time: true,
      speed: 1,
      time: 0,
      steps: 0,
      ended: false,
      frames: 0,
      growing: false,
      viewers: 0,
      undo: '',
      message: '',
    };
    this.settings = null;
    this.materials = new Materials(null);
    this.history = new History(['time']);
    this.series = new Map();
    this.monitored = new Set(); // monitors that plots show
    this.measures = new Map();
    this.picked = null;
    this.pickedInfo = null;
    this.connected = 'connecting';
    this.owed = 0;
    this.arrival = 0;
    this.interval = 50;
    this.legend = { low: 0, high: 1, at: 0 };
    this.dirty = true;
    this.needsFit = true;
    this.pace = 40; // ms from picture to picture while it moves
    this.coarsenedAt = this.restSince = 0;
    this.stats = { frames: 0, decodeMs: 0, drawMs: 0, pictures: 0, bytes: 0, fps: 0 };
    this.drawn = [];
    const token = new URLSearchParams(location.search).get('token');
    const address = new URL('stream', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    address.search = token ? `?token=${encodeURIComponent(token)}` : '';
    this.connection = new Connection(address.href, {
      text: (m, expected) => this.text(m, expected),
      binary: (m, start) => this.binary(m, start),
      state: (name, detail) => this.connectionState(name, detail),
    });
  }

  on(names, call) {
    for (const name of names.split(' '))
      this.listeners.set(name, [...(this.listeners.get(name) ?? []), call]);
  }
  emit(name, detail) {
    for (const call of this.listeners.get(name) ?? []) call(detail);
  }
  say(text, bad = false) {
    this.emit('say', { text, bad });
  }
  invalidate() {
    this.dirty = true;
  }

  get hello() {
    return this.model.hello;
  }
  get recording() {
    return this.model.recording;
  }
  get running() {
    return this.recording ? this.player.playing : this.status.running;
  }
  can(what) {
    return this.connected === 'open' && Boolean(this.hello?.can?.[what]);
  }

  // --- the connection ---

  connectionState(name, detail) {
    this.connected = name;
    if (name === 'open') this.newConnection = true;
    if (name === 'lost') {
      this.view.overlays.drag = null;
      this.player.waiting.clear();
    }
    this.emit('connection', { name, detail });
  }

  text(message, expected) {
    switch (message.type) {
      case 'hello':
        return this.begin(message);
      case 'settings':
        this.settings = message;
        return this.emit('settings');
      case 'state':
        this.status = message;
        if (this.recording && message.frames > this.reportedFrames && !this.reportTimer)
          // the file grows
          this.reportTimer = setTimeout(() => {
            this.reportTimer = null;
            this.askReports();
          }, 2000);
        this.invalidate();
        return this.emit('status');
      case 'names':
        if (message.epoch === this.model.epoch) this.model.addNames(message.names);
        return undefined;
      case 'pairs':
        this.materials.take(message);
        return this.emit('materials');
      case 'reply':
        if (!message.ok && !expected) this.say(message.error, true);
        return undefined;
      default:
        return undefined;
    }
  }

  /** A session starts: another one's bodies and numbers are of no use any more. */
  begin(hello) {
    const before = this.hello;
    const same =
      before && before.title === hello.title && before.source === hello.source && before.kind === hello.kind;
    const playing = this.player.playing,
      time = this.player.time;
    this.model.reset(hello);
    this.view.reset();
    this.player.reset();
    if (same && this.recording) Object.assign(this.player, { playing, time });
    else if (Number.isFinite(this.link.time)) this.player.time = this.link.time;
    if (this.link.speed) this.player.speed = this.link.speed;
    this.needsFit ||= !same;
    this.refit = same && !this.newConnection && !this.recording; // a restart: from where it was looked
    this.materials = new Materials(hello);
    this.history = new History(hello.report_columns);
    this.series.clear();
    this.measures.clear();
    const monitors = new Set(hello.monitors?.map((m) => m.name));
    for (const name of this.monitored) if (!monitors.has(name)) this.monitored.delete(name);
    this.owed = 0;
    this.legend = { low: 0, high: 1, at: 0 };
    if (this.newConnection || this.recording) this.subscribe();
    this.newConnection = false;
    if (this.recording) this.askReports();
    else {
      this.connection.send({ do: 'ready', credits: CREDITS });
      this.askReports();
    }
    for (const body of this.plotted) this.watch(body);
    this.emit('hello', { same });
  }

  /** What groups shall hold, from what is shown. */
  subscribe() {
    const { colour, contacts, chains, arrows } = this.options;
    const fields = [];
    if (colour === 'speed' || colour === 'force') fields.push(colour);
    if (arrows) fields.push('velocity');
    const want = { do: 'subscribe', rate: 60, fields, contacts: contacts || chains ? MOST_CONTACTS : 0 };
    if (!this.recording) want.reports = true;
    if (this.monitored.size) want.monitors = [...this.monitored];
    this.connection.send(want);
    if (this.recording) {
      // frames that are here lack what is wanted now
      this.model.frames.clear();
      this.player.waiting.clear();
    }
  }

  requestFrame(index, base, latest) {
    const command = { do: 'frame', index };
    if (base >= 0) command.base = base;
    if (latest) command.latest = true;
    this.connection.send(command);
  }

  /** Numbers of steps that are past. */
  askReports() {
    this.reportedFrames = Math.max(this.status.frames, this.hello?.frames ?? 0);
    this.connection.ask({ do: 'reports', first: 0, points: 4000 }).catch(() => {
      // refused while the last ones are on their way: later
      clearTimeout(this.reportTimer);
      this.reportTimer = setTimeout(() => {
        this.reportTimer = null;
        if (this.connected === 'open') this.askReports();
      }, 2000);
    });
  }

  binary(message, start) {
    if (message.epoch !== this.model.epoch) return;
    const model = this.model;
    switch (message.kind) {
      case KIND.BODIES:
        model.addBodies(message);
        break;
      case KIND.GEOMETRY:
        model.addGeometry(message);
        break;
      case KIND.FIELD:
        model.pending.fields.push(message);
        break;
      case KIND.CONTACTS:
        model.pending.contacts = message;
        break;
      case KIND.FRAME:
        this.frame(message);
        break;
      case KIND.REPORTS:
        this.reports(message);
        break;
      case KIND.SERIES:
        this.addSeries(message);
        break;
      case KIND.MONITOR:
        this.addMeasures(message);
        break;
      case KIND.TIMES:
        model.addTimes(message);
        if (this.player.time < this.player.first) this.player.time = this.player.first;
        this.invalidate();
        this.emit('times');
        break;
      default:
    }
    this.stats.decodeMs +=
      (performance.now() - start - this.stats.decodeMs) * (message.kind === KIND.FRAME ? 0.2 : 0);
  }

  frame(message) {
    const wanted = this.options.colour;
    const frame = this.model.addFrame(message, wanted === 'speed' || wanted === 'force' ? wanted : '');
    if (!frame) {
      // its base is gone
      if (this.recording) this.player.lost(message.sequence);
      else this.connection.send({ do: 'ready', full: true });
      return;
    }
    const now = performance.now();
    if (!this.recording) {
      if (this.stats.frames > 0) this.interval += 0.2 * (Math.min(500, now - this.arrival) - this.interval);
      this.arrival = now;
      this.owed++;
    }
    this.stats.frames++;
    this.stats.bytes = message.bytes;
    if (frame.field) this.raiseLegend(frame.high, now);
    if (this.needsFit) this.pendingFit = true;
    else if (this.refit) this.fit();
    this.needsFit = this.refit = false;
    this.invalidate();
    this.emit('frame');
  }

  raiseLegend(high, now) {
    const top = roundUp(high),
      l = this.legend;
    if (top >= l.high || now - l.at > LEGEND_HOLD || l.field !== this.options.colour) {
      if (top !== l.high || l.field !== this.options.colour) {
        Object.assign(l, { low: 0, high: top, field: this.options.colour });
        this.applyColour();
      }
      l.at = now;
    }
  }

  reports(message) {
    if (message.flags & 1) {
      // the past: what came since goes behind it
      const old = this.history;
      this.history = new History(this.hello.report_columns);
      this.history.add(message.values, message.columns, message.rows);
      const rows = new Float64Array(old.columns.length * old.rows);
      for (let r = 0; r < old.rows; r++)
        old.data.forEach((c, k) => {
          rows[r * old.columns.length + k] = c[r];
        });
      this.history.add(rows, old.columns.length, old.rows);
    } else this.history.add(message.values, message.columns, message.rows);
    this.emit('numbers');
  }

  addSeries(message) {
    if (!this.series.has(message.body)) this.series.set(message.body, new History(this.hello.series_columns));
    this.series.get(message.body).add(message.values, message.columns, message.rows);
    this.emit('numbers');
  }

  addMeasures(message) {
    const monitor = this.hello.monitors[message.monitor];
    if (!monitor || !this.monitored.has(monitor.name)) return;
    if (message.flags & 1) this.measures.set(monitor.name, new Measures(monitor.channels));
    this.measures.get(monitor.name)?.add(message.values, message.columns, message.rows);
    this.emit('numbers');
  }

  /** Asks for what a monitor measures, or for no more of it. */
  async monitor(name, on) {
    if (on === this.monitored.has(name)) return;
    if (on) this.monitored.add(name);
    else this.monitored.delete(name);
    this.measures.delete(name);
    this.emit('monitors');
    try {
      await this.connection.ask({ do: 'subscribe', monitors: [...this.monitored] });
    } catch (error) {
      if (on) this.monitored.delete(name);
      this.say(error.message, true);
      this.emit('monitors');
    }
  }

  /** Numbers of one body over time, for plots. */
  watch(body) {
    this.plotted.add(body);
    if (!this.series.has(body)) this.series.set(body, new History(this.hello?.series_columns ?? ['time']));
    this.connection.ask({ do: 'watch', body }).catch((error) => this.say(error.message, true));
  }

  unwatch(body) {
    this.plotted.delete(body);
    this.series.delete(body);
    this.connection.send({ do: 'unwatch', body });
  }

  // --- what people do ---

  /** Sends a command and says so if it is refused. Resolves to the reply or null. */
  async command(command) {
    try {
      return await this.connection.ask(command);
    } catch (error) {
      this.say(error.message, true);
      return null;
    }
  }

  toggle() {
    if (this.recording) this.player.play(!this.player.playing);
    else if (this.can('control')) this.command({ do: this.status.running ? 'stop' : 'start' });
    this.emit('status');
  }

  step(count = 1) {
    if (this.recording) this.player.stepFrames(count);
    else if (count > 0 && this.can('control')) this.command({ do: 'step', count });
    this.emit('status');
  }

  restart() {
    if (this.recording) this.player.seek(this.player.first);
    else if (this.can('restart')) this.command({ do: 'restart', reload: true });
    else this.say('This run cannot be started anew.', true);
  }

  setPace(pace) {
    if (this.can('control')) this.command({ do: 'pace', ...pace });
  }

  setSpeed(speed) {
    if (this.recording) this.player.speed = speed;
    else this.setPace({ speed });
    this.emit('status');
  }

  set(values) {
    if (!this.can('edit')) {
      this.say(
        this.recording ? 'A recording cannot be changed.' : 'This run cannot be changed from here.',
        true,
      );
      return Promise.resolve(null);
    }
    return this.command({ do: 'set', ...values });
  }

  undo() {
    if (!this.can('edit')) return this.set({});
    const what = this.status.undo;
    return this.command({ do: 'undo' }).then((reply) => reply && this.say(`taken back: ${what}`));
  }

  /** Whether contacts, and so forces, are known: a recording may have none. */
  get contactsKnown() {
    return this.hello?.contacts !== false;
  }

  setOption(name, value) {
    this.options[name] = value;
    const needsContacts =
      (['contacts', 'chains'].includes(name) && value) || (name === 'colour' && value === 'force');
    if (needsContacts && !this.contactsKnown)
      this.say('Contacts were not recorded: there are no forces to show.', true);
    if (['contacts', 'chains', 'arrows', 'joints'].includes(name)) this.view.overlays.show[name] = value;
    if (['contacts', 'chains', 'arrows', 'colour'].includes(name)) this.subscribe();
    if (name === 'colour') this.applyColour();
    this.model.version++;
    this.invalidate();
    this.emit('options');
  }

  /** Colours and their range to the picture. */
  applyColour() {
    const by = this.options.colour,
      b = this.model.balls;
    this.view.colourBy(by === 'force' && !this.contactsKnown ? 'none' : by);
    if (by === 'size') this.view.setRange(...this.sizeRange);
    else if (by === this.legend.field) this.view.setRange(this.legend.low, this.legend.high);
    this.ballVersion = b.version;
    this.invalidate();
    this.emit('legend');
  }

  get sizeRange() {
    const { low, high } = this.model.balls;
    return high === 0 ? [0, 1] : low < high ? [low, high] : [0, high * 2];
  }

  pick(index) {
    this.picked = index;
    this.pickedInfo = null;
    this.pickedAt = 0;
    this.view.pick(index);
    if (index === null) this.setOption('follow', false);
    this.invalidate();
    this.emit('picked');
  }

  /** Brings the panel's facts of the picked body up to date, a few times a second. */
  async refreshPicked(now) {
    if (this.picked === null || this.asking || this.connected !== 'open' || now - this.pickedAt < 250) return;
    const shown = this.model.mix < 0.5 ? this.model.from : this.model.to;
    if (
      !shown ||
      (this.pickedInfo && this.pickedSteps === shown.steps && this.pickedSequence === shown.sequence)
    )
      return;
    const body = this.picked;
    const command = { do: 'pick', body };
    if (this.recording) command.frame = shown.sequence; // the one on screen, whichever was sent last
    Object.assign(this, {
      asking: true,
      pickedAt: now,
      pickedSteps: shown.steps,
      pickedSequence: shown.sequence,
    });
    try {
      const reply = await this.connection.ask(command);
      if (this.picked === body) this.pickedInfo = reply.body;
    } catch (error) {
      if (this.picked === body) this.pickedInfo = { index: body, error: error.message };
    }
    this.asking = false;
    this.emit('picked-info');
  }

  drag(body, target) {
    this.view.overlays.drag = { body, target };
    this.connection.send({ do: 'drag', body, target });
    this.model.version++;
    this.invalidate();
  }

  release() {
    if (!this.view.overlays.drag) return;
    this.view.overlays.drag = null;
    this.connection.send({ do: 'release' });
    this.model.version++;
    this.invalidate();
  }

  setView(name) {
    this.view.camera.look(name);
    this.invalidate();
    this.emit('camera');
  }
  fit() {
    this.view.fit();
    this.invalidate();
    this.emit('camera');
  }

  setOrthographic(on) {
    this.view.camera.orthographic = on;
    this.invalidate();
    this.emit('camera');
  }

  /** The address that shows this again. */
  get address() {
    const url = new URL(location.href);
    url.hash = writeHash({
      camera: this.view.camera.state,
      time: this.recording ? this.player.time : undefined,
      colour: this.options.colour === 'material' ? undefined : this.options.colour,
      picked: this.picked ?? undefined,
      speed: this.recording ? this.player.speed : undefined,
    });
    return url.href;
  }

  followLink(link) {
    this.link = link;
    if (link.camera) this.view.camera.state = link.camera;
    if (Number.isFinite(link.time) && this.recording) this.player.seek(link.time);
    if (link.colour && link.colour !== this.options.colour) this.setOption('colour', link.colour);
    if (link.picked !== undefined) this.pick(link.picked);
    this.invalidate();
    this.emit('camera');
  }

  // --- one picture ---

  tick(now) {
    const seconds = Math.min(1, (now - (this.lastTick ?? now)) / 1000),
      model = this.model;
    this.lastTick = now;
    if (this.recording && this.connected === 'open') this.player.tick(seconds);
    else if (model.to && !this.recording)
      model.show(
        model.from,
        model.to,
        this.status.running ? liveMix(performance.now() - this.arrival, this.interval) : 1,
      );
    if (this.pendingFit && model.to) this.firstFit();
    if (this.ballVersion !== model.balls.version && this.options.colour === 'size') this.applyColour();
    this.adapt(now); // before drawing: another size empties the canvas
    this.followBody();
    if (this.dirty || model.version !== this.view.drawnVersion) {
      this.dirty = false;
      this.view.draw(now);
      this.stats.drawMs += 0.2 * (this.view.stats.drawMs - this.stats.drawMs);
      this.stats.pictures++;
      this.emit('drawn');
    }
    this.drawn.push(now);
    while (this.drawn[0] < now - 1000) this.drawn.shift();
    this.stats.fps = this.drawn.length;
    this.refreshPicked(now);
    if (this.owed && this.connected === 'open') {
      this.connection.send({ do: 'ready', credits: this.owed });
      this.owed = 0;
    }
  }

  /** Whether the picture rests, shows what is there and has every pixel. */
  get sharp() {
    const { view, model, stats } = this,
      rests = !this.dirty && !this.drewBefore && stats.pictures === this.adaptedPictures;
    return rests && view.drawnVersion === model.version && view.coarse === 0 && view.boundsFit;
  }

  /** A slow machine gets fewer pixels while the picture moves, and all of them when it rests; its shadows then have the last bounds. */
  adapt(now) {
    const drew = this.stats.pictures !== this.adaptedPictures;
    if (drew && this.drewBefore) this.pace += 0.3 * (now - this.adaptedAt - this.pace);
    if (drew) this.restSince = now;
    const level = this.view.coarse;
    if (drew && this.pace > 80 && level < COARSEST) this.coarsen(level + 1);
    else if (drew && this.pace < 22 && level > 0 && now - this.coarsenedAt > 2000) this.coarsen(level - 1);
    else if (!drew && (level > 0 || !this.view.boundsFit) && now - this.restSince > 500) this.coarsen(0);
    Object.assign(this, { drewBefore: drew, adaptedPictures: this.stats.pictures, adaptedAt: now });
  }

  coarsen(level) {
    this.view.setCoarse(level);
    this.coarsenedAt = performance.now();
    this.pace = 40;
    this.invalidate();
  }

  firstFit() {
    this.pendingFit = false;
    this.view.camera.look('iso');
    this.view.camera.height = 0.38;
    this.view.fit();
    if (this.link.camera) this.view.camera.state = this.link.camera;
    if (this.link.picked !== undefined && this.picked === null) this.pick(this.link.picked);
    this.applyColour();
    this.emit('camera');
  }

  followBody() {
    const at = [0, 0, 0];
    if (!this.options.follow || this.picked === null || !this.model.positionOf(this.picked, at)) {
      this.followed = null;
      return;
    }
    const target = this.view.camera.target,
      last = this.followed ?? target.toArray();
    if (last.some((x, k) => x !== at[k])) {
      if (this.followed)
        target.set(target.x + at[0] - last[0], target.y + at[1] - last[1], target.z + at[2] - last[2]);
      else target.fromArray(at);
      this.invalidate();
    }
    this.followed = at;
  }
}
