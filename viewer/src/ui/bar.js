// The bar above: transport, pace, clock, connection; and the timeline of recordings.
import { $, h } from './dom.js';
import { format } from '../colours.js';

const LIVE_SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const PLAY_SPEEDS = [-2, -1, -0.5, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
const STATES = { connecting: 'connecting', open: 'connected', lost: 'lost, trying again' };

export class Bar {
  constructor(app) {
    this.app = app;
    $('play').addEventListener('click', () => app.toggle());
    $('step').addEventListener('click', () => app.step(1));
    $('back').addEventListener('click', () => app.step(-1));
    $('restart').addEventListener('click', () => app.restart());
    $('real-time').addEventListener('change', (e) => app.setPace({ real_time: e.target.checked }));
    $('loop').addEventListener('change', (e) => {
      app.player.loop = e.target.checked;
    });
    $('speed').addEventListener('change', (e) => app.setSpeed(Number(e.target.value)));
    const scrub = $('scrub');
    scrub.addEventListener('input', () => {
      app.player.playing = false;
      app.player.seek(Number(scrub.value));
      this.status();
    });
    scrub.addEventListener('pointerdown', () => {
      this.scrubbing = true;
    });
    scrub.addEventListener('pointerup', () => {
      this.scrubbing = false;
    });
    app.on('hello', () => this.hello());
    app.on('status times hello connection', () => this.status());
    app.on('drawn frame', () => this.clock());
    app.on('connection', (c) => this.connection(c));
    this.status();
  }

  hello() {
    const { hello } = this.app,
      title = hello.title || hello.source || 'Talus';
    document.body.dataset.kind = hello.kind;
    $('title').textContent = title;
    $('title').title = `${title} (${hello.source})`;
    document.title = `${title} – Talus`;
    $('timeline').hidden = hello.kind !== 'recording';
    this.clock();
  }

  status() {
    const { app } = this,
      { status, recording } = app;
    const control = recording ? app.connected === 'open' : app.can('control');
    const play = $('play');
    play.setAttribute('aria-pressed', String(app.running));
    play.setAttribute('aria-label', app.running ? 'Stop' : recording ? 'Play' : 'Start');
    for (const id of ['play', 'step', 'back']) $(id).disabled = !control;
    $('step').setAttribute('aria-label', recording ? 'One frame forward' : 'One step');
    $('restart').disabled = !(recording ? control : app.can('restart'));
    $('restart').setAttribute('aria-label', recording ? 'To the start' : 'Restart');
    $('real-time').checked = status.real_time;
    $('real-time').disabled = !control;
    $('loop').checked = app.player.loop;
    this.speeds(recording ? app.player.speed : status.speed, recording);
    $('speed').disabled = !control || (!recording && !status.real_time);
    const notice = $('notice'),
      text = status.message;
    notice.hidden = !text && !(status.ended && !status.running && !recording);
    notice.textContent = text || 'The end of the run is reached. Start goes on beyond it.';
    if (status.ended && !text)
      setTimeout(() => {
        if (notice.textContent.startsWith('The end')) notice.hidden = true;
      }, 4000);
    const t = app.model.times,
      scrub = $('scrub');
    if (t.length) {
      scrub.min = t[0];
      scrub.max = t[t.length - 1];
    }
  }

  speeds(now, recording) {
    const list = [...new Set([...(recording ? PLAY_SPEEDS : LIVE_SPEEDS), now])].sort((a, b) => a - b),
      select = $('speed');
    const key = list.join();
    if (this.speedKey !== key) {
      select.replaceChildren(
        ...list.map((s) => h('option', { value: s }, `${s < 0 ? '−' : ''}${format(Math.abs(s))} ×`)),
      );
      this.speedKey = key;
    }
    select.value = String(now);
  }

  clock() {
    const { app } = this,
      { model, player } = app;
    if (!model.hello) return;
    const time = app.recording ? player.time : model.time;
    $('clock').textContent = `${time.toFixed(3)} s`;
    const bodies = model.to?.count ?? model.hello.bodies;
    const frame =
      app.recording && model.to
        ? ` · frame ${(model.mix < 0.5 ? model.from : model.to).sequence + 1} of ${model.times.length}`
        : '';
    $('counts').textContent =
      `${bodies.toLocaleString('en')} ${bodies === 1 ? 'body' : 'bodies'}${app.recording ? frame : ` · step ${(model.to?.steps ?? 0).toLocaleString('en')}`}`;
    if (app.recording) {
      if (!this.scrubbing) $('scrub').value = String(player.time);
      $('scrub').setAttribute('aria-valuetext', `${time.toFixed(3)} seconds`);
      $('span').textContent = `${format(player.first)} – ${format(player.last)} s`;
      if (this.playing !== player.playing) {
        this.playing = player.playing;
        this.status();
      }
    }
  }

  connection({ name, detail }) {
    const chip = $('connection');
    chip.dataset.state = name;
    chip.textContent = STATES[name];
    chip.title = detail || '';
  }
}
