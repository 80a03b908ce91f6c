// Friction and restitution between materials, as the page knows them: materials as the scene file says
// them, pairs as they follow or were set. Pure.

export class Materials {
  constructor(hello) {
    this.list = (hello?.materials ?? []).map((m) => ({
      index: m.index,
      name: m.name,
      friction: m.friction ?? 0.5,
      restitution: m.restitution ?? 0,
    }));
    this.pairs = new Map();
    for (const p of hello?.pairs ?? []) this.set(p);
  }

  key(a, b) {
    return a < b ? `${a},${b}` : `${b},${a}`;
  }

  set({ a, b, friction, restitution }) {
    this.pairs.set(this.key(a, b), { friction, restitution });
  }

  get(a, b) {
    const known = this.pairs.get(this.key(a, b));
    if (known) return known;
    const x = this.find(a),
      y = this.find(b);
    if (a === b) return { friction: x.friction, restitution: x.restitution };
    return {
      friction: Math.sqrt(x.friction * y.friction),
      restitution: Math.max(x.restitution, y.restitution),
    };
  }

  find(index) {
    return (
      this.list.find((m) => m.index === index) ?? {
        index,
        name: `material ${index}`,
        friction: 0.5,
        restitution: 0,
      }
    );
  }

  /** All pairs, each once. */
  all() {
    const out = [];
    this.list.forEach((x, i) => {
      for (const y of this.list.slice(i)) out.push({ a: x.index, b: y.index, ...this.get(x.index, y.index) });
    });
    return out;
  }

  /** The commands that move friction or restitution of all pairs by `change`, kept within its bounds. */
  change(what, change) {
    const high = what === 'restitution' ? 1 : Infinity;
    return this.all().map((p) => ({
      do: 'pair',
      a: p.a,
      b: p.b,
      friction: p.friction,
      restitution: p.restitution,
      [what]: Math.min(high, Math.max(0, Number((p[what] + change).toFixed(6)))),
    }));
  }
}
