// Pictures and videos of what is on screen: the scene with legend and time written on it.
import { legendOf } from './ui/legend.js';
import { rampAt } from './colours.js';
import { download } from './ui/dom.js';

/** Draws the scene's canvas, the legend and the time to a canvas of the same size. */
export function compose(app, out) {
  const source = app.view.canvas,
    ratio = app.view.ratio;
  if (out.width !== source.width || out.height !== source.height) {
    out.width = source.width;
    out.height = source.height;
  }
  const c = out.getContext('2d');
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.drawImage(source, 0, 0);
  c.scale(ratio, ratio);
  const dark = app.view.theme === 'dark',
    height = out.height / ratio;
  c.font = '13px system-ui, sans-serif';
  c.textBaseline = 'alphabetic';
  const ink = dark ? '#e3e7eb' : '#1b232b';
  c.fillStyle = ink;
  const time = app.recording ? app.player.time : app.model.time;
  c.fillText(`${app.hello?.title || app.hello?.source || 'Talus'}   t = ${time.toFixed(3)} s`, 14, 24);
  drawLegend(c, legendOf(app), height, ink);
  return out;
}

function drawLegend(c, legend, height, ink) {
  const items = legend.items ?? [];
  let y = height - 14 - (legend.high !== undefined ? 32 : 18 * items.length);
  c.fillText(legend.title, 14, y);
  for (const item of items) {
    y += 18;
    c.fillStyle = item.colour;
    c.beginPath();
    c.arc(19, y - 4, 5, 0, 7);
    c.fill();
    c.fillStyle = ink;
    c.fillText(item.text, 30, y);
  }
  if (legend.high === undefined) return;
  for (let i = 0; i < 180; i++) {
    c.fillStyle = `rgb(${rampAt(i / 179).join(',')})`;
    c.fillRect(14 + i, y + 7, 1, 8);
  }
  c.fillStyle = ink;
  c.fillText(legend.low, 14, y + 30);
  c.fillText(legend.high, 194 - c.measureText(legend.high).width, y + 30);
}

function stamp(app) {
  const name = (app.hello?.title || app.hello?.source || 'talus').replace(/[^\w.-]+/g, '-').slice(0, 60);
  return `${name}-${app.model.time.toFixed(3)}s`;
}

/** A PNG of this moment. The drawing buffer is only whole right after drawing, so it draws first. */
export function takePicture(app) {
  app.view.draw(performance.now());
  const canvas = compose(app, document.createElement('canvas'));
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => {
      if (!blob) return reject(new Error('the picture could not be made'));
      download(blob, `${stamp(app)}.png`);
      return resolve(blob);
    }, 'image/png'),
  );
}

/** A picture of this view that the server renders (docs/viewer-protocol.md). */
export async function renderPicture(app) {
  const canvas = app.view.canvas,
    scale = Math.min(1, 1920 / canvas.width, 1080 / canvas.height),
    query = new URLSearchParams(new URL(app.address).hash.slice(1));
  const asked = new URLSearchParams({
    cam: query.get('cam'),
    w: Math.max(16, Math.floor(canvas.width * scale)),
    h: Math.max(16, Math.floor(canvas.height * scale)),
  });
  const token = new URLSearchParams(location.search).get('token');
  if (token) asked.set('token', token);
  if (query.has('t')) asked.set('t', query.get('t'));
  if (app.options.colour !== 'force') asked.set('colour', app.options.colour);
  const answer = await fetch(`picture?${asked}`);
  if (!answer.ok) {
    const text = (await answer.text()).replace(/<[^>]*>/g, ' ').trim();
    throw new Error(`The picture was not rendered: ${text || answer.status}`);
  }
  const blob = await answer.blob();
  download(blob, `${stamp(app)}-rendered.png`);
  return blob;
}

/** Records what is drawn until stop(); the file is WebM (or MP4 where that is all there is). */
export class Video {
  constructor(app) {
    this.app = app;
    this.active = false;
    app.on('drawn', () => {
      if (this.active) compose(app, this.canvas);
    });
  }

  start() {
    const type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((t) =>
      window.MediaRecorder?.isTypeSupported(t),
    );
    if (!type) throw new Error('This browser cannot record video.');
    this.canvas = document.createElement('canvas');
    this.app.view.draw(performance.now());
    compose(this.app, this.canvas);
    this.parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: type,
      videoBitsPerSecond: 8e6,
    });
    this.recorder.ondataavailable = (e) => {
      if (e.data.size) this.parts.push(e.data);
    };
    this.recorder.start(1000);
    this.active = true;
  }

  /** Resolves to the file, which is downloaded too. */
  stop() {
    return new Promise((resolve) => {
      this.recorder.onstop = () => {
        this.active = false;
        const type = this.recorder.mimeType.split(';')[0],
          blob = new Blob(this.parts, { type });
        this.recorder.stream.getTracks().forEach((t) => t.stop());
        download(blob, `${stamp(this.app)}.${type.endsWith('mp4') ? 'mp4' : 'webm'}`);
        resolve(blob);
      };
      this.recorder.stop();
    });
  }
}
