// Keys: looks the key up in actions.js unless it belongs to a control that has the focus.
import { actionOf } from '../actions.js';

export function listenToKeys(app) {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]') && event.key !== 'F1') return;
    const target = event.target,
      tag = target.tagName;
    const typing =
      tag === 'SELECT' ||
      tag === 'TEXTAREA' ||
      (tag === 'INPUT' && !['checkbox', 'radio'].includes(target.type));
    if (typing && event.key !== 'F1') return;
    if ((tag === 'BUTTON' || tag === 'SUMMARY' || tag === 'INPUT') && [' ', 'Enter'].includes(event.key))
      return;
    if (target.getAttribute?.('role') === 'radio' && event.key.startsWith('Arrow')) return;
    const found = actionOf(event.key, app.recording);
    if (!found) return;
    event.preventDefault();
    found.action.run(app, found.key);
  });
}
