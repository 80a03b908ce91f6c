// The panel beside the scene: one function a section. Each builds its controls once and keeps them up
// to date through the app's events.
import { $, h, row, check, number, select, slider, put, button } from './dom.js';
import { COLOUR_BY, materialCss, format } from '../colours.js';
import { renderPicture, takePicture, Video } from '../capture.js';

const content = (id) => $(`section-${id}`).querySelector('.content');

export function buildPanel(app, theme) {
  viewSection(app);
  showSection(app, theme);
  simulationSection(app);
  materialSection(app);
  throwSection(app);
  shareSection(app);
  aboutSection(app);
}

function viewSection(app) {
  const views = [
    ['front', 'Front'],
    ['right', 'Right'],
    ['top', 'Top'],
    ['iso', 'Corner'],
  ];
  const projection = select(
    [
      ['p', 'Perspective'],
      ['o', 'Orthographic'],
    ],
    app.view.camera.orthographic ? 'o' : 'p',
    (v) => app.setOrthographic(v === 'o'),
  );
  const follow = check('Follow the picked body', false, (on) => app.setOption('follow', on));
  const cut = select(
    [
      ['', 'None'],
      ['x', 'Across x'],
      ['y', 'Across y'],
      ['z', 'Across z'],
      ['eye', 'Facing the eye'],
    ],
    '',
    () => apply(),
  );
  const offset = slider(
    { min: -1, max: 1, step: 0.01 },
    0,
    () => apply(),
    () => {
      const plane = app.view.cutPlane();
      return plane ? `${format(plane.place)} m` : '';
    },
  );
  const flip = check('Other side', false, () => apply());
  const offsetRow = row('Position', offset),
    flipRow = h('div', {}, flip);
  const apply = () => {
    offsetRow.hidden = flipRow.hidden = !cut.value;
    app.view.setOptions({
      cut: cut.value
        ? { axis: cut.value, offset: Number(offset.input.value), flip: flip.box.checked }
        : null,
    });
    offset.refresh();
    app.invalidate();
  };
  content('view').append(
    h(
      'div',
      { class: 'buttons', role: 'group', 'aria-label': 'Standard views' },
      views.map(([k, l]) => button(l, () => app.setView(k))),
      button('Fit', () => app.fit(), { title: 'Show everything (0)' }),
    ),
    row('Projection', projection),
    follow,
    row('Cut plane', cut),
    offsetRow,
    flipRow,
  );
  offsetRow.hidden = flipRow.hidden = true;
  app.on('camera options picked', () => {
    put(projection, app.view.camera.orthographic ? 'o' : 'p');
    follow.box.checked = app.options.follow;
    follow.box.disabled = app.picked === null;
  });
  follow.box.disabled = true;
}

function showSection(app, theme) {
  const colour = select(
    COLOUR_BY.map((c) => [c.key, c.label]),
    app.options.colour,
    (v) => app.setOption('colour', v),
  );
  const overlay = (name, label, title) => {
    const c = check(label, app.options[name], (on) => app.setOption(name, on), title);
    app.on('options', () => {
      c.box.checked = app.options[name];
    });
    return c;
  };
  const option = (name, label, title) =>
    check(
      label,
      app.view.options[name],
      (on) => {
        app.view.setOptions({ [name]: on });
        app.invalidate();
      },
      title,
    );
  const percent = (x) => `${Math.round(100 * x)} %`;
  const opacity = slider(
    { min: 0, max: 1, step: 0.05 },
    app.view.options.opacity,
    (x) => {
      app.view.setOptions({ opacity: x });
      app.invalidate();
    },
    percent,
  );
  const ball = slider(
    { min: 0.05, max: 1, step: 0.05, id: 'ball-size' },
    1,
    (x) => {
      app.view.setOptions({ ball: x });
      app.invalidate();
    },
    percent,
  );
  let chains = false;
  app.on('options', () => {
    // chains run inside the balls: those step back for them
    if (app.options.chains === chains) return;
    chains = app.options.chains;
    ball.input.value = chains ? 0.4 : 1;
    ball.refresh();
    app.view.setOptions({ ball: Number(ball.input.value) });
  });
  content('show').append(
    row('Colour by', colour),
    overlay('contacts', 'Contact points'),
    overlay('chains', 'Force chains', 'Lines between touching bodies, wider for larger forces'),
    overlay('arrows', 'Velocity arrows'),
    overlay('joints', 'Joints', 'Their axes, rods and ropes'),
    option('marks', 'Marks that turn with bodies'),
    option('grid', 'Ground grid', 'On the ground, where the scene has one'),
    option('shadows', 'Shadows', 'Costs a second pass over all bodies'),
    row('Ball size', ball, 'How large balls are drawn: small ones show what lies between them'),
    row('Walls', opacity, 'How solid the shapes of fixed and prescribed bodies look'),
    row(
      'Page',
      select(
        [
          ['auto', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ],
        theme.choice,
        (v) => theme.choose(v),
      ),
    ),
  );
  app.on('options', () => put(colour, app.options.colour));
}

// 'words': one of those that `hello` lists; 'flag': on or off; others are numbers
const SETTINGS = [
  ['step', 'Step (s)', { min: 1e-9, title: 'The time step h' }],
  ['solver', 'Solver', 'words'],
  ['iterations', 'Iterations', { min: 1, step: 1 }],
  ['position_iterations', '… of positions', { min: 1, step: 1 }],
  ['balance_iterations', '… for balance', { min: 0, step: 1, title: 'At most, where loads are new on bodies at rest' }],
  ['coarse_layers', 'Coarse level from layers', { min: 0, step: 1, title: 'Heaps of about so many layers or more have a coarse level; 0: none' }],
  ['warm_start', 'Start from the last impulses', 'flag'],
  ['tolerance', 'Tolerance (m/s)', { min: 0, title: 'Stop when the residual is below; 0: all iterations' }],
  ['law', 'Friction law', 'words'],
  ['joints', 'Joints', 'words'],
  ['omega', 'Omega', { min: 0, max: 2, title: 'Step factor of psor and jacobi; 0: 1 and 0.3' }],
  ['lambda', 'Lambda', { min: 0, max: 1, title: 'Averaging factor of jacobi' }],
  ['stepper', 'Stepper', 'words'],
  ['planes', 'Planes', 'words'],
  ['overlap', 'Overlap', 'words'],
  [
    'envelope',
    'Envelope (m)',
    { min: 0, title: 'Contacts are made for gaps up to this; 0: 5 % of the smallest radius' },
  ],
  ['recovery_fraction', 'Recovery', { min: 0, max: 1, title: 'Part of an overlap removed in a step' }],
  [
    'recovery_speed',
    'Recovery up to (m/s)',
    { min: 0, optional: true, placeholder: 'no limit', title: 'An overlap is removed no faster; empty: no limit' },
  ],
  ['restitution_speed', 'Bounce above (m/s)', { min: 0, title: 'Slower impacts do not bounce' }],
  ['impacts', 'Impacts', 'words'],
  ['penalty_law', 'Penalty: law', 'words'],
  ['penalty_integrator', '… in time', 'words'],
  ['penalty_substeps', '… substeps', { min: 0, step: 1, title: 'Of a step; 0: as many as it takes' }],
  [
    'penalty_stiffness',
    '… stiffness',
    { min: 0, title: 'Law scaled: contact force, 1/s² (0: 1000); linear: N/m (0: by the materials)' },
  ],
  ['penalty_damping', '… damping', { min: 0, title: 'Law scaled: 1/s' }],
  ['penalty_friction', '… friction', { min: 0, title: 'Law scaled' }],
  ['penalty_friction_form', '… its form', 'words'],
  ['penalty_collisions', 'Penalty: collisions', 'flag'],
  [
    'penalty_collision_threshold',
    '… above',
    { min: 0, title: 'Law scaled: an approach above this times the smaller radius is a collision, 1/s' },
  ],
  ['max_speed', 'Speed limit (m/s)', { min: 0, title: 'A body that moves faster stops the run' }],
];

function simulationSection(app) {
  const axes = ['x', 'y', 'z'].map((axis, k) =>
    number(
      0,
      () => {
        app.set({ gravity: axes.map((a) => Number(a.value)) });
      },
      { 'aria-label': `Gravity, ${axis}`, title: axis, id: `gravity-${axis}`, 'data-axis': k },
    ),
  );
  const controls = new Map();
  const rows = SETTINGS.map(([name, label, kind]) => {
    const change = (v) => app.set({ [name]: v }).then(refresh);
    if (kind === 'flag') {
      const flag = check(label, false, change);
      flag.box.id = `set-${name}`;
      controls.set(name, flag.box);
      return flag;
    }
    const control = kind === 'words' ? select([], undefined, change) : number('', change, { ...kind, title: null });
    control.id = `set-${name}`;
    controls.set(name, control);
    return row(label, control, kind.title);
  });
  const penalty = rows.filter((_, i) => SETTINGS[i][0].startsWith('penalty_'));
  const note = h('p', { class: 'note' });
  const undo = button('Undo', () => app.undo(), { id: 'undo', title: 'Take the last change back (U)' });
  const keys = check(
    'Keys change physics',
    false,
    (on) => app.setOption('keysChange', on),
    'H, N, Z, X, J, M, K, D, C, F, V, G, B and Del change the simulation only while this is on',
  );
  keys.box.id = 'keys-change';
  const refresh = () => {
    const s = app.settings,
      editable = app.can('edit');
    if (s) {
      axes.forEach((a, k) => put(a, Number(s.gravity[k].toPrecision(7))));
      for (const [name, control] of controls)
        if (control.type === 'checkbox') control.checked = s[name];
        else put(control, s[name]);
      for (const element of penalty) element.hidden = s.stepper !== 'penalty';
    }
    for (const c of [...axes, ...controls.values(), keys.box]) c.disabled = !editable;
    undo.disabled = !editable || !app.status.undo;
    undo.textContent = app.status.undo ? `Undo: ${app.status.undo.replaceAll('_', ' ')}` : 'Undo';
    note.textContent = editable
      ? 'Changes hold from the next step on.'
      : 'This run can be watched, not changed.';
  };
  content('simulation').append(
    h('div', { class: 'buttons' }, undo),
    keys,
    h(
      'div',
      { class: 'row wide' },
      h('span', { class: 'label' }, 'Gravity (m/s²): x, y, z'),
      h('div', { class: 'three', role: 'group', 'aria-label': 'Gravity' }, axes),
    ),
    ...rows,
    note,
  );
  app.on('hello', () => {
    for (const [name, , kind] of SETTINGS) {
      const control = controls.get(name);
      if (kind === 'words' && !control.length) // every server of this page has the same
        control.append(...app.hello.words[name].map((word) => h('option', { value: word }, word)));
    }
  });
  app.on('settings hello connection status', refresh);
  refresh();
}

function materialSection(app) {
  const box = content('materials');
  const build = () => {
    const pairs = app.materials.all(),
      editable = app.can('edit');
    const send = (p, what, v) => app.command(app.materials.set(p, what, v));
    const label = (p) =>
      p.a === p.b
        ? app.materials.find(p.a).name
        : `${app.materials.find(p.a).name} – ${app.materials.find(p.b).name}`;
    const input = (p, what, attributes) => {
      const n = number(Number(p[what].toPrecision(4)), (v) => send(p, what, v), {
        min: 0,
        'aria-label': `${what} of ${label(p)}`,
        ...attributes,
      });
      n.disabled = !editable;
      return n;
    };
    box.replaceChildren(
      h(
        'table',
        {},
        h('tr', {}, h('th', {}, 'Pair'), h('th', {}, 'Friction'), h('th', {}, 'Bounce')),
        pairs.slice(0, 60).map((p) =>
          h(
            'tr',
            {},
            h(
              'td',
              {},
              h('span', {
                class: 'dot',
                style: { background: materialCss(p.a), display: 'inline-block', marginRight: '6px' },
              }),
              label(p),
            ),
            h('td', {}, input(p, 'friction')),
            h('td', {}, input(p, 'restitution', { max: 1 })),
          ),
        ),
      ),
    );
    if (pairs.length > 60)
      box.append(h('p', { class: 'note' }, `${pairs.length - 60} more pairs are not listed.`));
  };
  app.on('hello materials connection', () => {
    if (!box.contains(document.activeElement)) build();
  });
  build();
}

function throwSection(app) {
  app.options.throwing = { radius: 0.1, density: 1000, speed: 5, material: 0 };
  app.options.pushSpeed = 1;
  const o = app.options.throwing;
  const radius = number(
      o.radius,
      (v) => {
        o.radius = v;
      },
      { min: 1e-9 },
    ),
    speed = number(
      o.speed,
      (v) => {
        o.speed = v;
      },
      { min: 0 },
    );
  const density = number(
    o.density,
    (v) => {
      o.density = v;
    },
    { min: 1e-9 },
  );
  const material = select([], undefined, (v) => {
    o.material = Number(v);
  });
  const push = number(
    1,
    (v) => {
      app.options.pushSpeed = v;
    },
    { min: 0 },
  );
  content('throw').append(
    row('Radius (m)', radius),
    row('Speed (m/s)', speed),
    row('Density (kg/m³)', density),
    row('Material', material),
    row('Push by (m/s)', push, 'A push changes a body’s speed by this'),
    h('p', { class: 'note' }, 'Choose Throw or Push at the left of the scene, then click.'),
  );
  app.on('hello', ({ same }) => {
    material.replaceChildren(...app.materials.list.map((m) => h('option', { value: m.index }, m.name)));
    if (same) return;
    o.radius = Number((2 * app.hello.radius).toPrecision(3));
    o.speed = Number((4 * Math.sqrt(9.81 * 10 * app.hello.radius)).toPrecision(2));
    app.options.pushSpeed = Number((o.speed / 4).toPrecision(2));
    put(radius, o.radius);
    put(speed, o.speed);
    put(push, app.options.pushSpeed);
  });
}

function shareSection(app) {
  const video = new Video(app);
  const record = button(
    'Record video',
    async () => {
      try {
        if (video.active) await video.stop();
        else video.start();
      } catch (error) {
        app.say(error.message, true);
      }
      record.textContent = video.active ? 'Stop and save' : 'Record video';
      record.setAttribute('aria-pressed', String(video.active));
    },
    { id: 'record', 'aria-pressed': 'false' },
  );
  const link = h('input', { type: 'text', readonly: true, 'aria-label': 'Link to this view', id: 'link' });
  const copy = button(
    'Copy link',
    async () => {
      link.value = app.address;
      history.replaceState(null, '', link.value);
      try {
        await navigator.clipboard.writeText(link.value);
        app.say('The link is copied.');
      } catch {
        link.hidden = false; // no clipboard without https or permission: show it
        link.select();
      }
    },
    { id: 'copy-link', title: 'A link that shows this camera and time' },
  );
  const render = button(
    'Render picture',
    async () => {
      render.disabled = true;
      render.textContent = 'Rendering …';
      try {
        await renderPicture(app);
      } catch (error) {
        app.say(error.message, true);
      }
      render.disabled = false;
      render.textContent = 'Render picture';
    },
    { id: 'render', title: 'The server traces the light of this view' },
  );
  render.hidden = true;
  app.on('hello', () => {
    render.hidden = !app.hello?.can?.render;
  });
  link.hidden = true;
  content('share').append(
    h(
      'div',
      { class: 'buttons' },
      button('Save picture', () => takePicture(app).catch((e) => app.say(e.message, true)), {
        id: 'picture',
      }),
      record,
      render,
      copy,
    ),
    link,
  );
  app.video = video;
}

function aboutSection(app) {
  const facts = h('dl', { class: 'facts' });
  const update = () => {
    const { hello, status, stats } = app;
    if (!hello || !$('section-about').open) return;
    const last = (name) => {
      const c = app.history.column(name);
      return c?.length ? c[c.length - 1] : null;
    };
    const list = [
      ['Scene', hello.title || '–'],
      ['File', hello.source],
      ['Runs on', hello.backend],
      ['Program', hello.program],
      ['Bodies', (app.model.to?.count ?? hello.bodies).toLocaleString('en')],
      ['Contacts', format(last('contacts'))],
      ['Residual', `${format(last('residual'))} m/s`],
      ['Worst overlap', `${format(last('max_penetration'))} m`],
      ['Step takes', `${format(last('total_ms'))} ms`],
      ['Viewers', String(status.viewers)],
      ['Pictures a second', String(stats.fps)],
      ['Unpacking', `${format(stats.decodeMs)} ms per frame`],
      ['Drawing', `${format(stats.drawMs)} ms`],
      ['Frame', `${Math.round(stats.bytes / 1024)} KiB`],
      ...Object.entries(hello.parameters ?? {}).map(([k, v]) => [
        k,
        typeof v === 'number' ? format(v) : String(v),
      ]),
      ...(hello.edits ?? []).map((line) => {
        const [time, ...edit] = line.split(' ');
        return [`By hand at ${format(Number(time))} s`, edit.join(' ')];
      }),
    ];
    facts.replaceChildren(...list.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
  };
  content('about').append(facts);
  $('section-about').addEventListener('toggle', update);
  setInterval(update, 500);
}
