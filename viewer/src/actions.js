// Everything a key does, in one table: ui/keys.js runs it, the help panel shows it. The first group are
// the keys of the program that came before; `was` is what the key meant there where that differs.

const MOST_PAIRS = 300; // that a message has room for

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const round = (x) => Number(x.toPrecision(6));

/** Multiplies a setting, from `start` where it is 0. */
function scale(app, name, factor, start, low, high) {
  if (!app.settings) return app.set({});
  const now = app.settings[name] ?? high;
  const value = round(clamp((now > 0 ? now : start) * factor, low, high));
  return app
    .set({ [name]: value })
    .then((reply) => reply && app.say(`${name.replaceAll('_', ' ')}: ${value}; U takes it back`));
}

function gravity(app, factor) {
  if (!app.settings) return app.set({});
  const g = app.settings.gravity,
    size = Math.hypot(...g);
  const next = size > 1e-6 ? g.map((x) => round(x * factor)) : factor > 1 ? [0, 0, -0.1] : [0, 0, 0];
  return app
    .set({ gravity: next })
    .then((reply) => reply && app.say(`gravity: ${round(Math.hypot(...next))} m/s²; U takes it back`));
}

async function pairs(app, what, change) {
  if (!app.can('edit')) return app.set({});
  const command = app.materials.change(what, change);
  if (command.pairs.length > MOST_PAIRS) return app.say('Too many materials to change at once.', true);
  if (await app.command(command))
    app.say(`${what} of all pairs ${change > 0 ? '+' : '−'} ${Math.abs(change)}; U takes it back`);
  return undefined;
}

/** Whether the constants of document 004 hold: penalty contact by the law scaled. */
const scaled = (app) => app.settings?.stepper === 'penalty' && app.settings.penalty_law === 'scaled';

/** Another constant where the law scaled holds; what the key means otherwise, but not under other penalty laws. */
function either(app, way, constant, start, otherwise) {
  const factor = way < 0 ? 0.8 : 1.25;
  if (scaled(app)) return scale(app, constant, factor, start, 1e-9, 1e12);
  if (app.settings?.stepper === 'penalty')
    return app.say(`The law ${app.settings.penalty_law} has no such constant: its materials say it.`);
  return otherwise(factor);
}

function collisions(app) {
  if (!scaled(app)) return app.say('There is no switch for collisions but under penalty contact by the law scaled.');
  const on = !app.settings.penalty_collisions;
  return app
    .set({ penalty_collisions: on })
    .then((reply) => reply && app.say(`collisions: ${on ? 'on' : 'off'}; U takes it back`));
}

const envelope = (app) => 0.05 * (app.hello?.radius ?? 1);

export const ACTIONS = [
  { group: 'Simulation', keys: ['a', ' '], text: 'Start or stop', run: (app) => app.toggle() },
  {
    group: 'Simulation',
    keys: ['s'],
    text: 'One step forward (recordings: one frame)',
    run: (app) => app.step(1),
  },
  {
    group: 'Simulation',
    keys: ['r'],
    text: 'Read the scene file again and restart (recordings: to the start)',
    run: (app) => app.restart(),
  },
  {
    group: 'Simulation',
    keys: ['t'],
    text: 'Real time, or as fast as it can',
    live: true,
    run: (app) => app.setPace({ real_time: !app.status.real_time }),
  },
  {
    group: 'Simulation',
    keys: ['k'],
    text: 'Collisions on or off, under penalty contact by the law scaled; contacts are always kept otherwise',
    live: true,
    physics: true,
    run: (app) => collisions(app),
  },
  {
    group: 'Parameters',
    keys: ['d', 'c'],
    text: 'Envelope (the gap at which contacts are made) up, down; law scaled: threshold of collisions',
    was: 'contact force activation threshold',
    live: true,
    physics: true,
    run: (app, key) =>
      either(app, key === 'd' ? 1 : -1, 'penalty_collision_threshold', 1, (factor) =>
        scale(app, 'envelope', factor, envelope(app), 1e-9, 1e6),
      ),
  },
  {
    group: 'Parameters',
    keys: ['f', 'v'],
    text: 'Speed below which impacts do not bounce, up, down; law scaled: damping',
    was: 'damping of contact',
    live: true,
    physics: true,
    run: (app, key) =>
      either(app, key === 'f' ? 1 : -1, 'penalty_damping', 12.5, (factor) =>
        scale(app, 'restitution_speed', factor, 0.01, 1e-6, 1e4),
      ),
  },
  {
    group: 'Parameters',
    keys: ['g', 'b'],
    text: 'Part of an overlap removed in a step, up, down; law scaled: contact force',
    was: 'contact force',
    live: true,
    physics: true,
    run: (app, key) =>
      either(app, key === 'g' ? 1 : -1, 'penalty_stiffness', 1000, (factor) =>
        scale(app, 'recovery_fraction', factor, 0.5, 0.001, 1),
      ),
  },
  {
    group: 'Parameters',
    keys: ['h', 'n'],
    text: 'Friction of all pairs up, down; law scaled: its friction',
    live: true,
    physics: true,
    run: (app, key) =>
      scaled(app)
        ? scale(app, 'penalty_friction', key === 'h' ? 1.25 : 0.8, 50, 1e-9, 1e12)
        : pairs(app, 'friction', key === 'h' ? 0.05 : -0.05),
  },
  {
    group: 'Parameters',
    keys: ['j', 'm'],
    text: 'Gravity up, down',
    live: true,
    physics: true,
    run: (app, key) => gravity(app, key === 'j' ? 1.1 : 1 / 1.1),
  },
  {
    group: 'Parameters',
    keys: ['z', 'x'],
    text: 'Restitution of all pairs up, down',
    live: true,
    physics: true,
    run: (app, key) => pairs(app, 'restitution', key === 'z' ? 0.05 : -0.05),
  },
  {
    group: 'Parameters',
    keys: ['u'],
    text: 'Take the last change back',
    live: true,
    run: (app) => app.undo(),
  },
  {
    group: 'Camera',
    keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
    text: 'Move the camera around',
    run: (app, key) => {
      const move = {
        ArrowUp: [0.05, 0],
        ArrowDown: [-0.05, 0],
        ArrowLeft: [0, -0.05],
        ArrowRight: [0, 0.05],
      }[key];
      app.view.camera.walk(...move);
      app.invalidate();
    },
  },
  {
    group: 'Camera',
    keys: ['+', '-'],
    text: 'Nearer, farther',
    also: { '=': '+' },
    run: (app, key) => {
      app.view.camera.zoom(key === '-' ? 1.1 : 1 / 1.1);
      app.invalidate();
    },
  },
  {
    group: 'Camera',
    keys: ['1', '2', '3', '4'],
    text: 'Front, right, top, corner view',
    run: (app, key) => app.setView({ 1: 'front', 2: 'right', 3: 'top', 4: 'iso' }[key]),
  },
  { group: 'Camera', keys: ['0'], text: 'Fit everything', run: (app) => app.fit() },
  {
    group: 'Camera',
    keys: ['o'],
    text: 'Orthographic or perspective',
    run: (app) => app.setOrthographic(!app.view.camera.orthographic),
  },
  {
    group: 'Camera',
    keys: ['y'],
    text: 'Follow the picked body',
    run: (app) => app.setOption('follow', !app.options.follow && app.picked !== null),
  },
  {
    group: 'Playback',
    keys: [',', '.'],
    text: 'One frame back, forward',
    recording: true,
    run: (app, key) => app.step(key === ',' ? -1 : 1),
  },
  {
    group: 'Playback',
    keys: ['Home', 'End'],
    text: 'To the start, the end',
    recording: true,
    run: (app, key) => app.player.seek(key === 'Home' ? app.player.first : app.player.last),
  },
  {
    group: 'Playback',
    keys: ['[', ']'],
    text: 'Half, double the speed',
    run: (app, key) =>
      app.setSpeed(
        clamp((app.recording ? app.player.speed : app.status.speed) * (key === '[' ? 0.5 : 2), 1 / 64, 64),
      ),
  },
  {
    group: 'Playback',
    keys: ['l'],
    text: 'Loop on or off',
    recording: true,
    run: (app) => {
      app.player.loop = !app.player.loop;
      app.emit('status');
    },
  },
  { group: 'Page', keys: ['F1', '?'], text: 'This help', run: (app) => app.emit('help') },
  { group: 'Page', keys: ['p'], text: 'Plots', run: (app) => app.emit('toggle-plots') },
  {
    group: 'Page',
    keys: ['Delete'],
    text: 'Remove the picked body',
    live: true,
    physics: true,
    run: (app) =>
      app.picked !== null &&
      app.command({ do: 'remove', body: app.picked }).then((reply) => reply && app.pick(null)),
  },
  {
    group: 'Page',
    keys: ['Escape'],
    text: 'Let go of the picked body; where none is picked, end the run, after asking',
    was: 'quit',
    run: (app) => (app.picked === null && !app.recording && app.can('edit') ? app.emit('end') : app.pick(null)),
  },
];

export const POINTER = [
  ['Left button, drag', 'turn the camera'],
  ['Right button, drag', 'move the camera up, down and sideways'],
  ['Wheel, or two fingers', 'nearer, farther; two fingers move too'],
  ['Click', 'pick a body'],
  ['Shift + drag a body', 'pull it with a spring (or the tool Drag)'],
  ['Ctrl + click a body', 'push it away (or the tool Push)'],
  ['Alt + click', 'throw a new ball there (or the tool Throw)'],
];

/** Runs an action. Keys that change physics do so once that is switched on: none does by a slip. */
export function runAction(app, { action, key }) {
  if (action.physics && !app.options.keysChange)
    return app.say('Keys change nothing in the simulation until “Keys change physics” is on (Simulation).');
  return action.run(app, key);
}

/** The action of a key as KeyboardEvent.key says it, with the name it has in the table; or null. */
export function actionOf(key, recording) {
  const name = key.length === 1 ? key.toLowerCase() : key;
  for (const action of ACTIONS) {
    const known = action.keys.includes(name) ? name : action.also?.[name];
    if (!known || (action.live && recording) || (action.recording && !recording)) continue;
    return { action, key: known };
  }
  return null;
}
