// Making elements in few words. Texts are always set as text: names from files are never markup.

/** h('button', { class: 'x', onclick: f }, 'text', child, ...) */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

let counter = 0;

/** A label and a control beside it. */
export function row(label, control, title) {
  const field = control.input ?? control,
    id = field.id || `f${++counter}`;
  field.id = id;
  return h('div', { class: 'row', title }, h('label', { for: id }, label), control);
}

/** A checkbox with its label. */
export function check(label, checked, change, title) {
  const box = h('input', { type: 'checkbox', onchange: () => change(box.checked) });
  box.checked = checked;
  const element = h('label', { class: 'check', title }, box, label);
  element.box = box;
  return element;
}

/** A number that is sent when it is entered. `attributes`: min, max, step...; with `optional` an empty field is null. */
export function number(value, change, { optional = false, ...attributes } = {}) {
  const input = h('input', {
    type: 'number',
    step: 'any',
    inputmode: 'decimal',
    ...attributes,
    onchange: () => {
      if (optional && input.value === '' && !input.validity.badInput) change(null);
      else if (input.value !== '' && input.checkValidity()) change(Number(input.value));
      else input.reportValidity();
    },
  });
  input.value = value ?? '';
  return input;
}

/** A slider with its number beside it. `show` writes the number; refresh() writes it again. */
export function slider(attributes, value, change, show) {
  const input = h('input', {
      type: 'range',
      ...attributes,
      oninput: () => {
        change(Number(input.value));
        refresh();
      },
    }),
    output = h('output', { class: 'number' }),
    element = h('div', { class: 'slider' }, input, output);
  const refresh = () => {
    output.textContent = show(Number(input.value));
  };
  input.value = value;
  refresh();
  return Object.assign(element, { input, refresh });
}

export function select(options, value, change) {
  const element = h(
    'select',
    { onchange: () => change(element.value) },
    options.map(([key, label]) => h('option', { value: key }, label)),
  );
  if (value !== undefined) element.value = value;
  return element;
}

/** Shows a value in an input unless somebody is typing in it. */
export function put(input, value) {
  if (document.activeElement !== input) input.value = value ?? '';
}

export function button(label, run, attributes = {}) {
  return h('button', { type: 'button', onclick: run, ...attributes }, label);
}

/** Gives a file to the browser. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob),
    a = h('a', { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
