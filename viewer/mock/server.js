// A stand-in for `talus view` while working on the page: balls that bounce in a box without touching
// each other, behind the protocol of docs/viewer-protocol.md as far as the page needs it.
//   npm run mock -- [port] [bodies]    then `npm run dev`, or the built page at the mock's own address
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { encodeBodies, encodeField, encodeFrame, encodeMonitor, encodeRows } from './encode.js';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
export const POLICY =
  "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:";
const REPORT = ['steps', 'time', 'contacts', 'kinetic_energy', 'potential_energy'];
const SERIES = ['time', 'x', 'y', 'z', 'vx', 'vy', 'vz'];
const MONITORS = [
  {
    name: 'energy',
    channels: ['kinetic', 'potential', 'total'].map((c) => ({ name: `energy.${c}`, unit: 'J' })),
  },
  { name: 'hits', channels: [{ name: 'hits', unit: '' }] },
];
const MOST_ROWS = 5000; // steps that monitors keep here; the real server keeps all of them, folded

/** Balls in the box of side 2 around (0, 0, 1). */
class Balls {
  constructor(count) {
    this.count = count;
    this.radius = 0.5 / Math.cbrt(count);
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    this.x = Float64Array.from(
      { length: 3 * count },
      (_, i) => (random() - 0.5) * 1.8 + (i % 3 === 2 ? 1 : 0),
    );
    this.v = Float64Array.from({ length: 3 * count }, () => (random() - 0.5) * 3);
    this.time = this.steps = this.hits = 0;
    this.measured = []; // a row per step
  }

  step(h, gravity) {
    this.hits = 0;
    for (let i = 0; i < 3 * this.count; i++) {
      const k = i % 3,
        low = (k === 2 ? 0 : -1) + this.radius,
        high = (k === 2 ? 2 : 1) - this.radius;
      this.v[i] += gravity[k] * h;
      this.x[i] += this.v[i] * h;
      if (this.x[i] < low) {
        this.x[i] = low;
        this.v[i] = Math.abs(this.v[i]) * 0.9;
        this.hits++;
      }
      if (this.x[i] > high) {
        this.x[i] = high;
        this.v[i] = -Math.abs(this.v[i]) * 0.9;
      }
    }
    this.time += h;
    this.steps++;
    this.measure();
  }

  measure() {
    const [, , , kinetic, potential] = this.report();
    this.measured.push([this.steps, this.time, kinetic, potential, kinetic + potential, this.hits]);
    if (this.measured.length > MOST_ROWS) this.measured.shift();
  }

  /** Rows of a monitor since a step: each value three times, as the last, the least and the greatest. */
  measures(number, since) {
    const first = number === 0 ? 2 : 5,
      count = MONITORS[number].channels.length;
    return this.measured
      .filter((row) => row[0] > since)
      .map((row) => [row[0], row[1], ...row.slice(first, first + count).flatMap((v) => [v, v, v])]);
  }

  report() {
    let kinetic = 0,
      potential = 0;
    for (let i = 0; i < this.count; i++) {
      kinetic += 0.5 * (this.v[3 * i] ** 2 + this.v[3 * i + 1] ** 2 + this.v[3 * i + 2] ** 2);
      potential += 9.81 * this.x[3 * i + 2];
    }
    return [this.steps, this.time, 0, kinetic, potential];
  }
}

const hello = (balls, epoch) => ({
  type: 'hello',
  protocol: 2,
  program: 'mock',
  kind: 'live',
  epoch,
  title: 'Bouncing balls',
  source: 'mock',
  backend: 'node',
  duration: null,
  first_time: 0,
  frames: 0,
  box: [
    [-1, -1, 0],
    [1, 1, 2],
  ],
  radius: balls.radius,
  quantum: 1e-6,
  bodies: balls.count + 1,
  names: 1,
  materials: [
    { index: 0, name: 'default' },
    { index: 1, name: 'rubber' },
  ],
  contacts: true,
  parameters: {},
  can: { control: true, edit: true, restart: true, record: false },
  monitors: MONITORS,
  report_columns: REPORT,
  series_columns: SERIES,
  words: {
    body: ['dynamic', 'fixed', 'prescribed'],
    solver: ['psor', 'jacobi', 'apgd', 'spg', 'interior'],
    law: ['default', 'cone', 'coulomb'],
    overlap: ['split', 'velocity'],
    impacts: ['simultaneous', 'propagating'],
  },
});

class Session {
  constructor(socket, world) {
    Object.assign(this, { socket, world, credits: 0, sent: -1, fields: [], seen: 0, watched: new Set() });
    this.monitors = new Map(); // number -> the step that was sent last, -1: none
    socket.on('message', (data) => this.command(JSON.parse(String(data))));
    this.begin();
  }

  text(message) {
    this.socket.send(JSON.stringify(message));
  }

  begin() {
    const { balls } = this.world;
    this.text(hello(balls, this.world.epoch));
    this.text({ type: 'settings', ...this.world.settings });
    this.text({
      type: 'pairs',
      pairs: [
        [0, 0, 0.5, 0],
        [0, 1, 0.6, 0.7],
        [1, 1, 0.8, 0.7],
      ],
    });
    this.state();
    this.text({ type: 'names', epoch: this.world.epoch, names: [[1, 'floor']] });
    const bodies = [{ index: 1, kind: 1, mass: 0, radius: Infinity }],
      spheres = [];
    for (let i = 0; i < balls.count; i++) {
      bodies.push({ index: i + 2, kind: 0, mass: 1, radius: balls.radius });
      spheres.push({ body: i + 2, material: i % 2, position: [0, 0, 0], radius: balls.radius });
    }
    this.socket.send(
      encodeBodies(this.world.epoch, bodies, spheres, [
        {
          body: 1,
          material: 0,
          kind: 1,
          position: [0, 0, 0],
          orientation: [1, 0, 0, 0],
          size: [0, 0, 0, 0, 0, 0],
        },
      ]),
    );
    this.sent = -1;
    for (const number of this.monitors.keys()) this.monitors.set(number, -1);
  }

  state() {
    this.text({ type: 'state', ...this.world.status(), viewers: 1, undo: '' });
  }

  command(c) {
    const world = this.world,
      reply = (more = {}) => c.id && this.text({ type: 'reply', id: c.id, ok: true, ...more });
    if (c.do === 'ready') {
      this.credits = Math.min(4, this.credits + (c.credits ?? 1));
      if (c.full) this.sent = -1;
      return this.frame();
    }
    if (c.do === 'subscribe') {
      if (c.fields) this.fields = c.fields;
      if (c.monitors) {
        const numbers = c.monitors.map((name) => MONITORS.findIndex((m) => m.name === name));
        if (numbers.includes(-1))
          return c.id && this.text({ type: 'reply', id: c.id, ok: false, error: 'subscribe: no such monitor' });
        this.monitors = new Map(numbers.map((n) => [n, this.monitors.get(n) ?? -1]));
      }
      this.sent = -1;
      return reply();
    }
    if (c.do === 'set') {
      Object.assign(world.settings, c);
      delete world.settings.do;
      delete world.settings.id;
      this.text({ type: 'settings', ...world.settings });
      return reply();
    }
    if (c.do === 'start' || c.do === 'stop') world.running = c.do === 'start';
    if (c.do === 'step') {
      world.running = false;
      for (let i = 0; i < (c.count ?? 1); i++) world.step();
    }
    if (c.do === 'pick') return reply({ body: world.describe(c.body) });
    if (c.do === 'restart') {
      world.restart();
      this.begin();
    }
    this.state();
    return reply();
  }

  frame() {
    const { balls, epoch } = this.world;
    if (this.credits === 0 || this.sent === balls.steps) return;
    this.credits--;
    const rows = [],
      speeds = [];
    for (let i = 0; i < balls.count; i++) {
      rows.push({
        index: i + 2,
        position: [balls.x[3 * i], balls.x[3 * i + 1], balls.x[3 * i + 2]],
        turn: [1, 0, 0, 0],
      });
      speeds.push(Math.hypot(balls.v[3 * i], balls.v[3 * i + 1], balls.v[3 * i + 2]));
    }
    if (this.fields.includes('speed'))
      this.socket.send(encodeField(epoch, 1, balls.steps, [2, balls.count], speeds, 1));
    if (this.fields.includes('velocity'))
      this.socket.send(encodeField(epoch, 3, balls.steps, [2, balls.count], [...balls.v], 3));
    this.socket.send(encodeRows(epoch, 6, 0, 0, [balls.report()]));
    for (const [number, since] of this.monitors) {
      const rows = balls.measures(number, since);
      if (rows.length) this.socket.send(encodeMonitor(epoch, number, since < 0, rows));
      this.monitors.set(number, balls.steps);
    }
    this.socket.send(
      encodeFrame(
        epoch,
        {
          time: balls.time,
          steps: balls.steps,
          sequence: balls.steps,
          bodies: balls.count + 1,
          origin: [-1, -1, 0],
          quantum: 1e-6,
        },
        rows,
        [{ index: 1, position: [0, 0, 0], turn: [1, 0, 0, 0] }],
        [],
        true,
        [2, balls.count],
      ),
    );
    this.sent = balls.steps;
  }
}

class World {
  constructor(count) {
    Object.assign(this, { count, epoch: 0, running: true, sessions: new Set() });
    this.settings = {
      gravity: [0, 0, -9.81],
      step: 0.005,
      envelope: 0,
      solver: 'psor',
      iterations: 8,
      position_iterations: 4,
      balance_iterations: 5000,
      coarse_layers: 64,
      tolerance: 0,
      law: 'default',
      overlap: 'split',
      recovery_fraction: 0.5,
      recovery_speed: null,
      restitution_speed: 0.01,
      impacts: 'propagating',
      max_speed: 1e5,
      omega: 0,
      lambda: 1,
      warm_start: true,
    };
    this.restart();
  }

  restart() {
    this.balls = new Balls(this.count);
    this.epoch++;
  }
  step() {
    this.balls.step(this.settings.step, this.settings.gravity);
  }
  status() {
    return {
      running: this.running,
      real_time: true,
      speed: 1,
      time: this.balls.time,
      steps: this.balls.steps,
      ended: false,
      frames: 0,
      growing: false,
      message: '',
    };
  }

  describe(index) {
    const at = 3 * (index - 2),
      b = this.balls;
    return {
      index,
      name: null,
      origin: `body ${index}`,
      kind: 'dynamic',
      mass: 1,
      time: b.time,
      position: [...b.x.slice(at, at + 3)],
      orientation: [1, 0, 0, 0],
      velocity: [...b.v.slice(at, at + 3)],
      angular_velocity: [0, 0, 0],
      shapes: [{ kind: 'sphere', material: 1, position: [0, 0, 0], radius: b.radius }],
      shape_count: 1,
      contacts: [],
      contact_count: 0,
    };
  }
}

/** Serves the folder `root` and the stream. Resolves to { port, close }. */
export function serve({
  port = 8642,
  bodies = 400,
  root = fileURLToPath(new URL('../dist', import.meta.url)),
} = {}) {
  const world = new World(bodies);
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname),
      file = path === '/' ? '/index.html' : path;
    try {
      const data = await readFile(join(root, file));
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'content-security-policy': POLICY,
      });
      response.end(data);
    } catch {
      response.writeHead(404).end();
    }
  });
  const sockets = new WebSocketServer({
    server,
    path: '/stream',
    handleProtocols: (list) => (list.has('talus-view-2') ? 'talus-view-2' : false),
  });
  sockets.on('connection', (socket) => {
    const session = new Session(socket, world);
    world.sessions.add(session);
    socket.on('close', () => world.sessions.delete(session));
  });
  const timer = setInterval(() => {
    if (world.running) for (let i = 0; i < 3; i++) world.step();
    for (const s of world.sessions) s.frame();
  }, 15);
  return new Promise((resolve) =>
    server.listen(port, '127.0.0.1', () =>
      resolve({
        port: server.address().port,
        world,
        close: () => {
          clearInterval(timer);
          for (const s of sockets.clients) s.terminate();
          server.close();
        },
      }),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { port } = await serve({
    port: Number(process.argv[2] ?? 8642),
    bodies: Number(process.argv[3] ?? 400),
  });
  console.log(`http://127.0.0.1:${port}/`);
}
