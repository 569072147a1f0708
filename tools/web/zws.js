// Messages over WebSocket with ZWS2.0 (45/ZWS), which has no handshake but a routing id.

const LAST = 0;
const MORE = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', {ignoreBOM: true});  // keeps a mark at the start of a key

// `code` is one of timeout, aborted, closed, malformed.
export class ZincError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'ZincError';
    this.code = code;
  }
}

// A part of a message as bytes, and as text. Parts to send may be either.
export const bytes = (part) => typeof part === 'string' ? encoder.encode(part) : part;
export const text = (part) => decoder.decode(part);

export function joined(...pieces) {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

// The frames of a message. The first byte of each is its flags.
export function encodeMessage(parts) {
  return parts.map((part, i) => joined([i + 1 < parts.length ? MORE : LAST], bytes(part)));
}

// Collects frames to messages.
export class Decoder {
  #parts = [];

  // Returns the message that this frame completes, as an array of Uint8Array, or null.
  add(frame) {
    const [flags] = frame;
    if (flags !== LAST && flags !== MORE) {
      throw new ZincError('malformed', 'the peer has sent a malformed frame');
    }
    this.#parts.push(frame.subarray(1));
    return flags === LAST ? this.#parts.splice(0) : null;
  }
}

// One connection of a socket. Ends once, with onEnd(error), unless it is closed.
export class Connection {
  #socket;
  #decoder = new Decoder();
  #attached = false;
  #ended = false;

  constructor(url, {onOpen, onMessage, onEnd, WebSocket = globalThis.WebSocket}) {
    const socket = this.#socket = new WebSocket(String(url), ['ZWS2.0']);
    const end = (error) => {
      if (!this.#ended) {
        this.close();
        onEnd(error);
      }
    };
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      if (!this.#ended) {
        this.send(['']);  // the routing id: none
        onOpen();
      }
    };
    socket.onmessage = ({data}) => {
      try {
        // Text of the peer is a string, which must not become the size of an array.
        const frame = new Uint8Array(typeof data === 'string' ? 0 : data);
        const message = this.#ended ? null : this.#decoder.add(frame);
        if (message && this.#attached) {
          onMessage(message);
        }
        this.#attached ||= message !== null;  // the first message is the peer's routing id
      } catch (error) {
        if (!(error instanceof ZincError)) {
          throw error;  // a fault of the user's function
        }
        end(error);
      }
    };
    socket.onerror = () => {};  // a close follows
    socket.onclose = () => end(new ZincError('closed', `no connection to ${url}`));
  }

  send(parts) {
    for (const frame of encodeMessage(parts)) {
      this.#socket.send(frame);
    }
  }

  close() {
    this.#ended = true;
    this.#socket.close();
  }
}
