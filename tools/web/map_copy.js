// The copy of a map or a subtree of it (12/CHP). Pure.

import {ZincError, text} from './zws.js';

const epochOf = (number) => number >> 44n;

function numberOf(part) {
  if (part.length !== 8) {
    throw new ZincError('malformed', 'the server has sent a malformed number');
  }
  return new DataView(part.buffer, part.byteOffset, 8).getBigUint64(0);
}

// A number in decimal digits. Other clients also write properties, so null is for everything else.
const decimalOf = (digits) => /^\d+$/.test(digits) ? BigInt(digits) : null;

// The value of a property of an update, of lines of name=value.
function propertyOf(frame, name) {
  const line = text(frame).split('\n').find((each) => each.startsWith(name + '='));
  return line?.slice(name.length + 1);
}

// Servers of Zinc count the updates of each directory: d=/a/:7,/a/b/:3.
function countOf(frame, subtree) {
  const escaped = subtree.replace(/[%=\n,:\0]/g,
    (byte) => '%' + byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'));
  const found = propertyOf(frame, 'd')?.split(',').find((each) => each.startsWith(escaped + ':'));
  return found === undefined ? null : decimalOf(found.slice(escaped.length + 1));
}

// The copy of a subtree. Its methods return the changes, an array of [key, value], where null is an erased key.
export class MapCopy {
  entries = new Map();
  #subtree;
  #last = null;     // the number of the last update; null: there is no snapshot
  #count = null;    // of updates of the subtree
  #gapless = false;
  #snapshot = new Map();
  #waiting = [];    // updates that arrived before the end of the snapshot

  constructor(subtree) {
    this.#subtree = subtree;
  }

  get following() {
    return this.#last !== null;
  }

  // A new snapshot follows. The entries stay until it is complete.
  begin() {
    this.#last = null;
    this.#snapshot = new Map();
    this.#waiting = [];
  }

  // A message of the server's snapshots: null until the last one.
  onSnapshot(parts) {
    if (parts.length !== 5) {
      throw new ZincError('malformed', 'the server has sent a malformed snapshot');
    }
    const [key, number, , properties, value] = parts;
    if (text(key) !== 'KTHXBAI') {
      this.#snapshot.set(text(key), value);
      return null;
    }
    this.#last = numberOf(number);
    this.#count = countOf(properties, this.#subtree);
    this.#gapless = false;
    const before = this.entries;
    this.entries = this.#snapshot;
    this.#snapshot = new Map();
    const changes = [...before.keys()].filter((each) => !this.entries.has(each)).map((each) => [each, null]);
    for (const [each, now] of this.entries) {
      if (!same(before.get(each), now)) {
        changes.push([each, now]);
      }
    }
    for (const update of this.#waiting.splice(0)) {
      changes.push(...this.onUpdate(update) ?? []);
    }
    return changes;
  }

  // A message of the publisher: null if updates are missing and a new snapshot is needed.
  onUpdate(parts) {
    if (parts.length !== 5) {
      throw new ZincError('malformed', 'the server has sent a malformed update');
    }
    const [name, number, , properties, value] = parts;
    const key = text(name);
    if (key === 'HUGZ' || !key.startsWith(this.#subtree)) {
      return [];
    }
    if (this.#last === null) {
      this.#waiting.push(parts);
      return [];
    }
    if (numberOf(number) <= this.#last) {
      return [];  // the snapshot has it
    }
    if (!this.#follows(numberOf(number), properties)) {
      this.#last = null;
      return null;
    }
    this.#last = numberOf(number);
    if (value.length === 0) {
      this.entries.delete(key);
      return [[key, null]];
    }
    this.entries.set(key, value);
    return [[key, value]];
  }

  // 12/CHP only asks for rising numbers. Servers of Zinc tell more: prev, the number before, and counts.
  #follows(number, properties) {
    const expected = this.#gapless;
    this.#gapless = number === this.#last + 1n;
    if (this.#subtree !== '') {
      const before = this.#count;
      this.#count = countOf(properties, this.#subtree);
      return before === null || this.#count === null ? epochOf(number) === epochOf(this.#last)
        : this.#count === before + 1n;
    }
    const previous = propertyOf(properties, 'prev');
    if (this.#gapless || previous !== undefined) {
      return this.#gapless || (decimalOf(previous) ?? number) <= this.#last;
    }
    return epochOf(number) === epochOf(this.#last) && !expected;
  }
}

function same(a, b) {
  return a !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}
