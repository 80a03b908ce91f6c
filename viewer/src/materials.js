// Friction and restitution between materials, as the server tells them: every pair with its present
// values. Pure.

const key = (a, b) => (a < b ? `${a},${b}` : `${b},${a}`);

export class Materials {
  /** `hello` names the materials. */
  constructor(hello) {
    this.list = (hello?.materials ?? []).map(({ index, name }) => ({ index, name }));
    this.pairs = new Map();
  }

  /** Takes a `pairs` message: all of them. */
  take({ pairs }) {
    this.pairs = new Map(
      pairs.map(([a, b, friction, restitution]) => [key(a, b), { a, b, friction, restitution }]),
    );
  }

  /** null before they were told. */
  get(a, b) {
    return this.pairs.get(key(a, b)) ?? null;
  }

  find(index) {
    return this.list.find((m) => m.index === index) ?? { index, name: `material ${index}` };
  }

  /** All pairs, each once. */
  all() {
    return [...this.pairs.values()];
  }

  /** The command that sets friction or restitution of one pair. */
  set({ a, b, friction, restitution }, what, value) {
    const next = { friction, restitution, [what]: value };
    return { do: 'pairs', pairs: [[a, b, next.friction, next.restitution]] };
  }

  /** The command that moves friction or restitution of all pairs by `change`, kept within its bounds. */
  change(what, change) {
    const high = what === 'restitution' ? 1 : Infinity;
    const moved = (value) => Math.min(high, Math.max(0, Number((value + change).toFixed(6))));
    return {
      do: 'pairs',
      pairs: this.all().map(({ a, b, friction, restitution }) => [
        a,
        b,
        what === 'friction' ? moved(friction) : friction,
        what === 'restitution' ? moved(restitution) : restitution,
      ]),
    };
  }
}
