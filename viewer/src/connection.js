// The WebSocket: opens it, opens it again when it is lost, matches replies with commands. Says what it
// does through `onstate`; decoding is protocol.js' business.
import { decode, ProtocolError } from './protocol.js';

const FIRST_WAIT = 250,
  LONGEST_WAIT = 4000; // ms

export class Connection {
  /** `handlers`: text(object), binary(message, milliseconds), state(name, detail). */
  constructor(url, handlers, makeSocket = (u) => new WebSocket(u, 'talus-view-2')) {
    Object.assign(this, { url, handlers, makeSocket });
    this.wait = FIRST_WAIT;
    this.asked = new Map();
    this.nextId = 1;
    this.closed = false;
    this.received = 0; // bytes
    this.open();
  }

  open() {
    if (this.closed) return;
    this.handlers.state('connecting', '');
    let socket;
    try {
      socket = this.makeSocket(this.url);
    } catch (error) {
      this.handlers.state('lost', String(error.message ?? error));
      return;
    }
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.handlers.state('open', '');
    socket.onmessage = (event) => this.message(event.data);
    socket.onclose = (event) => this.lost(event);
    socket.onerror = () => {}; // a close follows
  }

  message(data) {
    this.wait = FIRST_WAIT;
    try {
      if (typeof data === 'string') {
        this.received += data.length;
        this.text(JSON.parse(data));
      } else {
        this.received += data.byteLength;
        const start = performance.now(),
          message = decode(data);
        this.handlers.binary(message, start);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError) && !(error instanceof SyntaxError)) throw error;
      console.warn(error.message);
      this.socket.close(4000, 'malformed message');
    }
  }

  text(message) {
    const asked = message.type === 'reply' && this.asked.get(message.id);
    if (asked) {
      this.asked.delete(message.id);
      if (message.ok) asked.resolve(message);
      else asked.reject(new Error(message.error ?? 'refused'));
    }
    this.handlers.text(message, Boolean(asked));
  }

  lost(event) {
    for (const { reject } of this.asked.values()) reject(new Error('the connection was lost'));
    this.asked.clear();
    if (this.closed) return;
    this.handlers.state('lost', event.reason || '');
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  }

  get isOpen() {
    return this.socket?.readyState === 1;
  }

  /** Sends a command that wants no answer. */
  send(command) {
    if (this.isOpen) this.socket.send(JSON.stringify(command));
  }

  /** Sends a command; the promise is its reply, or fails with the reason. */
  ask(command) {
    if (!this.isOpen) return Promise.reject(new Error('not connected'));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ ...command, id }));
    });
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
