// Where the page starts: makes the app and the panels, and draws.
import { App } from './app.js';
import { Bar } from './ui/bar.js';
import { BodyPanel } from './ui/body.js';
import { Plots } from './ui/plots.js';
import { Pointer } from './ui/pointer.js';
import { Theme } from './ui/theme.js';
import { buildEnd } from './ui/end.js';
import { buildHelp } from './ui/help.js';
import { buildPanel } from './ui/panel.js';
import { listenToKeys } from './ui/keys.js';
import { makeApi } from './api.js';
import { readHash } from './hash.js';
import { showLegend } from './ui/legend.js';
import { $, h } from './ui/dom.js';

const TOOLS = [
  [
    'look',
    'Look and pick',
    'M10 4C5.5 4 2.3 8 1.5 10c.8 2 4 6 8.5 6s7.7-4 8.5-6C17.7 8 14.5 4 10 4zm0 2c3 0 5.3 2.5 6.3 4-1 1.5-3.3 4-6.3 4s-5.3-2.5-6.3-4c1-1.5 3.3-4 6.3-4zm0 1.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  ],
  ['drag', 'Drag bodies with a spring', 'M3 9h2l1-3 2 8 2-8 2 8 1-5h4v2h-2.5l-1.7 7L10 11l-2 8-2.3-8H3z'],
  ['push', 'Push bodies', 'M2 9h9V5l7 5-7 5v-4H2z'],
  ['throw', 'Throw a ball', 'M6 11a4.5 4.5 0 1 1 0 .1zM11 8l5-5h-3V1h6v6h-2V4.4l-5 5z'],
];

function buildTools(app) {
  const buttons = TOOLS.map(([key, label, path]) => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'),
      p = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 20 20');
    svg.setAttribute('aria-hidden', 'true');
    p.setAttribute('d', path);
    svg.append(p);
    return h(
      'button',
      {
        class: 'icon',
        type: 'button',
        role: 'radio',
        'data-tool': key,
        'aria-label': label,
        title: label,
        onclick: () => app.setOption('tool', key),
      },
      svg,
    );
  });
  const update = () => {
    for (const b of buttons) {
      const on = b.dataset.tool === app.options.tool;
      b.setAttribute('aria-checked', String(on));
      b.tabIndex = on ? 0 : -1;
    }
    $('canvas').dataset.tool = app.options.tool;
    $('tools').hidden = !app.hello?.can?.edit;
    if (!app.hello?.can?.edit && app.options.tool !== 'look') app.setOption('tool', 'look');
  };
  $('tools').append(...buttons);
  $('tools').addEventListener('keydown', (e) => {
    // arrows walk through the tools
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const at = (TOOLS.findIndex(([k]) => k === app.options.tool) + step + TOOLS.length) % TOOLS.length;
    app.setOption('tool', TOOLS[at][0]);
    buttons[at].focus();
  });
  app.on('options hello', update);
  update();
}

function buildToasts(app) {
  app.on('say', ({ text, bad }) => {
    const toast = h('div', { class: bad ? 'toast bad' : 'toast' }, text);
    $('toasts').append(toast);
    while ($('toasts').children.length > 4) $('toasts').firstChild.remove();
    setTimeout(() => toast.remove(), bad ? 7000 : 3000);
  });
}

function buildShell(app) {
  const main = document.querySelector('main'),
    small = window.matchMedia('(max-width: 760px)');
  const show = (open) => {
    main.classList.toggle('no-panel', !open);
    $('open-panel').setAttribute('aria-expanded', String(open));
  };
  $('open-panel').addEventListener('click', () => {
    const open = main.classList.contains('no-panel');
    show(open);
    if (open && small.matches) $('panel').focus();
  });
  $('close-panel').addEventListener('click', () => {
    show(false);
    $('open-panel').focus();
  });
  small.addEventListener('change', () => show(!small.matches));
  show(!small.matches);
  const canvas = $('canvas');
  const resize = () => {
    const { clientWidth: w, clientHeight: height } = canvas;
    if (w && height) {
      app.view.resize(w, height, Math.min(2, window.devicePixelRatio || 1));
      app.view.draw(performance.now()); // at once: another size empties the canvas
    }
  };
  new ResizeObserver(resize).observe(canvas);
  resize();
}

function start() {
  let app;
  try {
    app = new App($('canvas'));
  } catch (error) {
    $('notice').hidden = false;
    $('notice').textContent = 'This browser offers no WebGL 2, which the viewer needs to draw.';
    console.warn(error.message);
    return;
  }
  const theme = new Theme((name) => {
    app.view.setTheme(name);
    app.model.version++;
    app.invalidate();
    app.emit('theme');
  });
  buildShell(app);
  buildToasts(app);
  buildTools(app);
  new Bar(app);
  const plots = new Plots(app);
  new BodyPanel(app, (key, body) => plots.addBody(key, body));
  buildPanel(app, theme);
  buildHelp(app);
  buildEnd(app);
  showLegend(app);
  listenToKeys(app);
  new Pointer(app, $('canvas'));
  theme.apply();
  app.view.setOptions({});
  window.talusView = makeApi(app);
  window.addEventListener('hashchange', () => app.followLink(readHash(location.hash)));
  const loop = (now) => {
    app.tick(now);
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

start();
