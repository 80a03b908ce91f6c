// The help panel: made of the same table that the keys run from.
import { $, h } from './dom.js';
import { ACTIONS, POINTER } from '../actions.js';

const NAMES = {
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
};
const keyName = (key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);

function table(title, rows) {
  return h(
    'section',
    {},
    h('h3', {}, title),
    h(
      'table',
      {},
      rows.map(([keys, text]) => h('tr', {}, h('td', {}, keys), h('td', {}, text))),
    ),
  );
}

export function buildHelp(app) {
  const dialog = $('help'),
    groups = [...new Set(ACTIONS.map((a) => a.group))];
  $('help-content').append(
    ...groups.map((group) =>
      table(
        group,
        ACTIONS.filter((a) => a.group === group).map((a) => [
          a.keys.flatMap((k, i) => [i ? ' ' : '', h('kbd', {}, keyName(k))]),
          a.text + (a.was ? ` (in the older program: ${a.was})` : ''),
        ]),
      ),
    ),
    table('Pointer', POINTER),
  );
  const toggle = () => (dialog.open ? dialog.close() : dialog.showModal());
  $('open-help').addEventListener('click', toggle);
  $('close-help').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (e) => {
    if (e.target === dialog) dialog.close();
  });
  app.on('help', toggle);
}
