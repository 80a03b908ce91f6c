// window.talusView: what the page shows, as data. For tests and for people at the browser's console;
// docs/viewer.md describes it.

export function makeApi(app) {
  const { model, view } = app;
  let waiting = [];
  app.on('drawn', () => {
    const calls = waiting;
    waiting = [];
    for (const call of calls) call();
  });
  return {
    version: 2,
    /** Where things stand. */
    state: () => ({
      connection: app.connected,
      kind: app.hello?.kind ?? null,
      title: app.hello?.title ?? '',
      epoch: model.epoch,
      time: app.recording ? app.player.time : model.time,
      steps: model.to?.steps ?? 0,
      sequence: model.to?.sequence ?? -1,
      frameTimes: model.to ? [model.from.time, model.to.time] : [],
      mix: model.mix,
      coarse: view.coarse,
      sharp: app.sharp,
      bodies: model.to?.count ?? 0,
      running: app.running,
      realTime: app.status.real_time,
      speed: app.recording ? app.player.speed : app.status.speed,
      frames: model.times.length,
      loop: app.player.loop,
      picked: app.picked,
      pickedInfo: app.pickedInfo,
      colour: app.options.colour,
      legend: { ...app.legend },
      contacts: model.to?.contacts?.count ?? 0,
      settings: app.settings,
      pairs: app.materials.all(),
      undo: app.status.undo,
      keysChange: app.options.keysChange,
      message: app.status.message,
      can: { ...app.hello?.can },
      viewers: app.status.viewers,
    }),
    /** Indices of all bodies that are there. */
    indices: () => {
      const out = [];
      for (let i = 1; i < model.known; i++) if (model.has(i)) out.push(i);
      return out;
    },
    /** One body as it is shown; null if it is not there. Orientation is (w, x, y, z). */
    body: (index) => {
      const position = [0, 0, 0],
        q = [0, 0, 0, 1];
      if (!model.positionOf(index, position)) return null;
      model.turnOf(index, q);
      return {
        index,
        name: model.names.get(index) ?? null,
        kind: model.kindOf(index),
        mass: model.mass[index],
        radius: model.radius[index],
        position,
        orientation: [q[3], q[0], q[1], q[2]],
        value: model.to.pose.position[4 * index + 3],
      };
    },
    /** Where a body is on the canvas, in css pixels: { x, y, radius, depth, visible }. */
    project: (index) => view.project(index),
    get camera() {
      return view.camera.state;
    },
    set camera(state) {
      view.camera.state = { ...view.camera.state, ...state };
      app.invalidate();
    },
    /** Resolves when a picture was drawn that shows everything known now. */
    drawn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        app.invalidate();
      }),
    /** The colour of a pixel (css pixels from the upper left), as [r, g, b] of 0 to 255. */
    pixel: (x, y) => {
      view.draw(performance.now());
      const gl = view.renderer.getContext(),
        out = new Uint8Array(4),
        r = view.ratio;
      gl.readPixels(
        Math.round(x * r),
        gl.drawingBufferHeight - 1 - Math.round(y * r),
        1,
        1,
        gl.RGBA,
        gl.UNSIGNED_BYTE,
        out,
      );
      return [...out.slice(0, 3)];
    },
    link: () => app.address,
    stats: () => ({
      ...app.stats,
      uploads: view.stats.uploads,
      uploadBytes: view.stats.uploadBytes,
      received: app.connection.received,
    }),
    pick: (index) => app.pick(index),
    seek: (time) => app.player.seek(time),
    /** Any command of the protocol; resolves to the reply. */
    send: (command) => app.connection.ask(command),
    history: (column) => Array.from(app.history.column(column) ?? []),
    /** What the monitors are, which are plotted, and what is known of one: rows with the least and the greatest. */
    monitors: () =>
      (app.hello?.monitors ?? []).map((m) => ({ ...m, plotted: app.monitored.has(m.name) })),
    monitor: (name) => {
      const m = app.measures.get(name);
      if (!m) return null;
      return {
        steps: Array.from(m.column(0)),
        time: Array.from(m.column(1)),
        channels: m.channels.map((channel, c) => ({
          ...channel,
          last: Array.from(m.column(2 + 3 * c)),
          least: Array.from(m.column(3 + 3 * c)),
          greatest: Array.from(m.column(4 + 3 * c)),
          range: [...m.ranges[c]],
        })),
      };
    },
    series: (body, column) => Array.from(app.series.get(body)?.column(column) ?? []),
  };
}
