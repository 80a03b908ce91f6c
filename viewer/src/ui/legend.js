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
      items: app.materials.list.slice(0, MOST).map((m) => ({ colour: materialCss(m.index), text: m.name })),
    };
  const [low, high] = by.key === 'size' ? app.sizeRange : [app.legend.low, app.legend.high];
  return { title: `${by.label} (${by.unit})`, low: format(low), high: format(high) };
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
      app.options.chains ? h('div', { class: 'quiet' }, 'Lines: impulses, red from 4 × their mean') : '',
    );
  };
  app.on('legend hello materials options', update);
  update();
}
