// The picked body: what it is, how it moves, what it touches, and what can be done with it.
import { $, h, button } from './dom.js';
import { format } from '../colours.js';

const vector = (v) => (v ? v.map(format).join(', ') : '–');

export class BodyPanel {
  constructor(app, addPlot) {
    Object.assign(this, { app, addPlot });
    this.section = $('section-body');
    this.box = this.section.querySelector('.content');
    app.on('picked', () => this.build());
    app.on('picked-info', () => this.update());
    app.on('connection hello', () => this.update());
  }

  build() {
    const { app } = this,
      body = app.picked;
    this.section.hidden = body === null;
    if (body === null) return;
    this.facts = h('dl', { class: 'facts', id: 'body-facts' });
    this.contacts = h('div', { class: 'contacts', tabindex: 0, role: 'region', 'aria-label': 'Contacts' });
    this.joints = h('div', { class: 'joints', tabindex: 0, role: 'region', 'aria-label': 'Joints' });
    this.title = h('strong', { id: 'body-name' }, app.model.nameOf(body));
    this.push = button(
      'Push up',
      () => {
        const speed = app.options.pushSpeed,
          mass = app.model.mass[body];
        app.command({ do: 'push', body, impulse: [0, 0, speed * mass] });
      },
      { title: 'A push against the ground’s pull' },
    );
    this.remove = button('Remove', () =>
      app.command({ do: 'remove', body }).then((r) => r && app.pick(null)),
    );
    this.box.replaceChildren(
      this.title,
      this.facts,
      this.contacts,
      this.joints,
      h(
        'div',
        { class: 'buttons' },
        button('Follow', () => app.setOption('follow', !app.options.follow)),
        button('Plot position', () => this.addPlot('position', body)),
        button('Plot velocity', () => this.addPlot('velocity', body)),
        button('Plot force', () => this.addPlot('force', body)),
        this.push,
        this.remove,
        button('Let go', () => app.pick(null)),
      ),
    );
    this.section.open = true;
    this.update();
  }

  /** The joints of the body, with force and torque where they are known: live. */
  updateJoints(info) {
    const { app } = this,
      own = (app.hello?.joints ?? []).filter((j) => j.a.body === info.index || j.b.body === info.index),
      states = new Map((info.joints ?? []).map((s) => [s.index, s])),
      size = (v) => (v ? format(Math.hypot(...v)) : '–');
    this.joints.hidden = !own.length;
    this.joints.replaceChildren(
      h(
        'table',
        {},
        h(
          'tr',
          {},
          h('th', {}, 'Joint'),
          h('th', { class: 'right' }, 'Force (N)'),
          h('th', { class: 'right' }, 'Torque (N m)'),
        ),
        own.map((j) => {
          const s = states.get(j.index),
            other = j.a.body === info.index ? j.b.body : j.a.body;
          return h(
            'tr',
            {},
            h(
              'td',
              { title: `${j.kind} with ${other ? app.model.nameOf(other) : 'the ground'}` },
              `${j.name || `joint ${j.index}`}${s?.broken ? ', broken' : ''}`,
            ),
            h('td', { class: 'right' }, size(s?.force)),
            h('td', { class: 'right' }, size(s?.torque)),
          );
        }),
      ),
    );
  }

  update() {
    const { app } = this,
      info = app.pickedInfo;
    if (app.picked === null || !this.facts) return;
    const dynamic = app.model.kind[app.picked] === 0,
      editable = app.can('edit') && dynamic;
    this.push.hidden = !editable;
    this.remove.hidden = !app.can('edit');
    if (!info || info.error) {
      this.facts.replaceChildren(
        h('dt', {}, info?.error ? 'Gone' : '…'),
        h('dd', {}, info?.error ?? app.model.kindOf(app.picked) ?? ''),
      );
      this.contacts.hidden = this.joints.hidden = true;
      return;
    }
    if (info.name) {
      app.model.names.set(info.index, info.name);
      this.title.textContent = info.name;
    }
    const speed = info.velocity ? Math.hypot(...info.velocity) : null;
    const material = info.shapes?.length ? app.materials.find(info.shapes[0].material).name : '–';
    const facts = [
      ['Body', `${info.index}, ${info.kind}`],
      ['From', info.origin ?? '–'],
      ['Mass', `${format(info.mass)} kg`],
      [
        'Shapes',
        `${info.shape_count} (${info.shapes?.[0]?.kind ?? 'none'}${info.shapes?.[0]?.radius ? `, r ${format(info.shapes[0].radius)} m` : ''})`,
      ],
      ['Material', material],
      ['At', `${format(info.time)} s`],
      ['Position (m)', vector(info.position)],
      ['Velocity (m/s)', vector(info.velocity)],
      ['Speed', speed === null ? '–' : `${format(speed)} m/s`],
      ['Spin (rad/s)', vector(info.angular_velocity)],
      ['Turned (w, x, y, z)', vector(info.orientation)],
      ['Contacts', info.contact_count === null ? 'not recorded' : String(info.contact_count)],
    ];
    this.facts.replaceChildren(...facts.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
    this.updateJoints(info);
    this.contacts.hidden = !info.contacts?.length;
    if (this.contacts.contains(document.activeElement) && document.activeElement !== this.contacts) return; // somebody is about to choose
    this.contacts.replaceChildren(
      h(
        'table',
        {},
        h(
          'tr',
          {},
          h('th', {}, 'Touches'),
          h('th', { class: 'right' }, 'Force (N)'),
          h('th', { class: 'right' }, 'Gap (m)'),
        ),
        (info.contacts ?? []).map((c) =>
          h(
            'tr',
            {},
            h(
              'td',
              {},
              button(app.model.nameOf(c.other), () => app.pick(c.other), { class: 'link' }),
            ),
            h('td', { class: 'right' }, format(c.force)),
            h('td', { class: 'right' }, format(c.gap)),
          ),
        ),
      ),
    );
  }
}
