// The question before a run is ended: Esc where nothing is picked.
import { $ } from './dom.js';

export function buildEnd(app) {
  const dialog = $('end');
  app.on('end', () => dialog.open || dialog.showModal());
  $('end-not').addEventListener('click', () => dialog.close());
  $('end-run').addEventListener('click', () => {
    dialog.close();
    app.command({ do: 'end' }).then((reply) => reply && app.say('The run has ended.'));
  });
}
