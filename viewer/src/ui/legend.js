// What the colours mean, in the corner of the scene.
import { $, h } from './dom.js';
import { COLOUR_BY, RAMP_CSS, materialCss, format } from '../colours.js';

const MOST = 8;

/** The legend's contents as data, for the corner and for pictures. */
export function legendOf(app) {
  const by = COLOUR_BY.find((c) => c.key === app.options.colour);
  if (by.key === 'id') return { title: 'A colour for each body' };
  if (by.key === 'material')
    return {
      title: 'Material',
      items: app.materials.list
        .filter((m) => app.model.materials.has(m.index))
        .slice(0, MOST)
        .map((m) => ({ colour: materialCss(m.index), text: m.name })),
    };
  if (by.key === 'force' && !app.contactsKnown) return { title: 'Contact force: not recorded' };
  const [low, high] = by.key === 'size' ? app.sizeRange : [app.legend.low, app.legend.high];
  return { title: `${by.label} (${by.unit})`, low: format(low), high: format(high) };
}

function chainText(app) {
  if (!app.contactsKnown) return 'Lines: contacts were not recorded';
  const top = app.view.overlays.chainTop;
  return top > 0 ? `Lines: contact force, red from ${format(top)} N` : 'Lines: contact force (N)';
}

export function showLegend(app) {
  const update = () => {
    const legend = legendOf(app),
      box = $('legend');
    box.hidden = !app.hello;
    box.replaceChildren(
      h('div', {}, legend.title),
      legend.items && legend.items.length
        ? h(
            'ul',
            {},
            legend.items.map((i) =>
              h('li', {}, h('span', { class: 'dot', style: { background: i.colour } }), i.text),
            ),
          )
        : '',
      legend.high !== undefined ? h('div', { class: 'ramp', style: { background: RAMP_CSS } }) : '',
      legend.high !== undefined
        ? h('div', { class: 'ends number' }, h('span', {}, legend.low), h('span', {}, legend.high))
        : '',
      app.options.chains ? h('div', { class: 'quiet' }, chainText(app)) : '',
    );
  };
  app.on('legend hello materials options', update);
  let shown = '';
  app.on('drawn', () => {
    // what changes with the picture: the materials that are there, the force of the lines
    const now = `${app.model.epoch} ${[...app.model.materials]} ${app.options.chains ? chainText(app) : ''}`;
    if (now !== shown) update();
    shown = now;
  });
  update();
}
