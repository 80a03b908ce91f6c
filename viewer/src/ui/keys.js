// Keys: looks the key up in actions.js unless it belongs to a control that has the focus.
import { actionOf, runAction } from '../actions.js';

export function listenToKeys(app) {
  let clicked = null; // what got the focus by a click: space is then not meant for it
  window.addEventListener('focusin', () => {
    clicked = null;
  });
  window.addEventListener('click', (event) => {
    if (event.detail > 0) clicked = document.activeElement;
  });
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]') && event.key !== 'F1') return;
    const target = event.target,
      tag = target.tagName;
    const typing =
      tag === 'SELECT' ||
      tag === 'TEXTAREA' ||
      (tag === 'INPUT' && !['checkbox', 'radio', 'range'].includes(target.type));
    if (typing && event.key !== 'F1') return;
    if (target.type === 'range' && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const pressable = tag === 'BUTTON' || tag === 'SUMMARY' || (tag === 'INPUT' && target.type !== 'range');
    if (pressable && event.key === 'Enter') return;
    if (pressable && event.key === ' ') {
      if (target !== clicked) return;
      target.blur(); // else the browser presses it when the key goes up
    }
    if (target.getAttribute?.('role') === 'radio' && event.key.startsWith('Arrow')) return;
    const found = actionOf(event.key, app.recording);
    if (!found) return;
    event.preventDefault();
    runAction(app, found);
  });
}
