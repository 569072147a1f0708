// The pure parts of tools/web: frames, and the copy of a map. Runs in Node.js.

import assert from 'node:assert/strict';
import test from 'node:test';

import {MapCopy} from '../../tools/web/map_copy.js';
import {Decoder, bytes, encodeMessage, text} from '../../tools/web/zws.js';

const parts = (message) => message.map(text);

test('a message is one frame for each part, with the flag of more', () => {
  assert.deepEqual(encodeMessage(['a', '', new Uint8Array([255])]).map((frame) => [...frame]),
    [[1, 97], [1], [0, 255]]);
});

test('frames become the message that was encoded', () => {
  const decoder = new Decoder();
  for (const message of [[''], ['a', '', 'b'], ['x'.repeat(70_000)]]) {
    const frames = encodeMessage(message);
    const made = frames.map((frame) => decoder.add(frame));
    assert.deepEqual(made.slice(0, -1), frames.slice(1).map(() => null));
    assert.deepEqual(parts(made.at(-1)), message);
  }
});

test('a frame without flags, or with others, is malformed', () => {
  for (const frame of [[], [2, 5], [4], [255]]) {
    assert.throws(() => new Decoder().add(new Uint8Array(frame)), {code: 'malformed'});
  }
});

function numbered(number) {
  const part = new Uint8Array(8);
  new DataView(part.buffer).setBigUint64(0, BigInt(number));
  return part;
}

const update = (key, number, value, properties = '') =>
  [bytes(key), numbered(number), bytes(''), bytes(properties), bytes(value)];
const end = (number, properties = '') => update('KTHXBAI', number, '/a/', properties);
const told = (changes) => changes?.map(([key, value]) => [key, value && text(value)]);
const content = (copy) => Object.fromEntries([...copy.entries].map(([key, value]) => [key, text(value)]));

function copyWith(subtree, number, entries, properties = '') {
  const copy = new MapCopy(subtree);
  copy.begin();
  for (const [key, value] of Object.entries(entries)) {
    assert.equal(copy.onSnapshot(update(key, 1, value)), null);
  }
  copy.onSnapshot(end(number, properties));
  return copy;
}

test('updates during a snapshot are applied after it, in order, if they are newer', () => {
  const copy = new MapCopy('/a/');
  copy.begin();
  assert.deepEqual(copy.onUpdate(update('/a/1', 5, 'old')), []);
  assert.deepEqual(copy.onUpdate(update('/a/1', 7, 'newer')), []);
  assert.deepEqual(copy.onUpdate(update('/a/1', 8, 'newest')), []);
  assert.equal(copy.onSnapshot(update('/a/1', 6, 'snapshot')), null);
  assert.equal(copy.following, false);
  assert.deepEqual(told(copy.onSnapshot(end(6))), [['/a/1', 'snapshot'], ['/a/1', 'newer'], ['/a/1', 'newest']]);
  assert.equal(copy.following, true);
  assert.deepEqual(told(copy.onUpdate(update('/a/1', 8, 'again'))), []);
  assert.deepEqual(content(copy), {'/a/1': 'newest'});
});

test('an empty value erases a key', () => {
  const copy = copyWith('', 3, {'/a/1': 'x'});
  assert.deepEqual(told(copy.onUpdate(update('/a/1', 4, ''))), [['/a/1', null]]);
  assert.deepEqual(content(copy), {});
});

test('a byte order mark is a part of a key', () => {
  const copy = copyWith('', 3, {'/a': 'x', '\ufeff/a': 'y'});
  assert.deepEqual(content(copy), {'/a': 'x', '\ufeff/a': 'y'});
});

test('another snapshot tells only what differs', () => {
  const copy = copyWith('', 3, {'/a/1': 'x', '/a/2': 'y', '/a/3': 'z'});
  copy.begin();
  assert.deepEqual(content(copy), {'/a/1': 'x', '/a/2': 'y', '/a/3': 'z'});
  for (const [key, value] of [['/a/2', 'y'], ['/a/3', 'other'], ['/a/4', 'new']]) {
    copy.onSnapshot(update(key, 1, value));
  }
  assert.deepEqual(told(copy.onSnapshot(end(9))), [['/a/1', null], ['/a/3', 'other'], ['/a/4', 'new']]);
});

test('heartbeats and keys of other subtrees change nothing', () => {
  const copy = copyWith('/a/', 3, {});
  assert.deepEqual(copy.onUpdate(update('HUGZ', 0, '')), []);
  assert.deepEqual(copy.onUpdate(update('/b/1', 4, 'x')), []);
  assert.deepEqual(told(copy.onUpdate(update('/a/1', 4, 'x'))), [['/a/1', 'x']]);
});

const epoch = 2n ** 44n;

test('a gap in the whole map asks for a snapshot', () => {
  const cases = [
    // The number before, whether the one before that was the very next, the update, whether it follows.
    [3, false, update('/a', 4, 'x'), true],
    [3, false, update('/a', 9, 'x'), true],  // a server may count in tens
    [3, true, update('/a', 6, 'x'), false],
    [3, true, update('/a', 6, 'x', 'prev=4\n'), true],
    [3, true, update('/a', 6, 'x', 'ttl=5\nprev=5\n'), false],
    [3, false, update('/a', epoch + 4n, 'x'), false],
    [3, false, update('/a', epoch + 4n, 'x', 'prev=3\n'), true],
    [3, false, update('/a', 6, 'x', 'prev=x\n'), false],  // of another client
  ];
  for (const [number, gapless, next, follows] of cases) {
    const copy = copyWith('', number, {});
    if (gapless) {
      copy.onUpdate(update('/b', number + 1, 'y'));
    }
    assert.equal(copy.onUpdate(next) !== null, follows, `${number} ${gapless} ${next.map(text)}`);
    assert.equal(copy.following, follows);
  }
});

test('a gap in a subtree is one of its count', () => {
  const cases = [
    [update('/a/1', 9, 'x', 'd=/:7,/a/:3\n'), true],
    [update('/a/1', 9, 'x', 'd=/:7,/a/:4\n'), false],
    [update('/a/1', 9, 'x'), true],
    [update('/a/1', 9, 'x', 'd=/a/:x\n'), true],  // of another client, and no count
    [update('/a/1', epoch, 'x'), false],
  ];
  for (const [next, follows] of cases) {
    const copy = copyWith('/a/', 3, {}, 'd=/a/:2\n');
    assert.equal(copy.onUpdate(next) !== null, follows, text(next[3]));
  }
  const copy = copyWith('/a:b=%/', 3, {}, 'd=/a%3Ab%3D%25/:2\n');
  assert.equal(copy.onUpdate(update('/a:b=%/1', 9, 'x', 'd=/a%3Ab%3D%25/:4\n')), null);
});

test('a gap among the updates during a snapshot is found too', () => {
  const copy = new MapCopy('');
  copy.begin();
  for (const number of [4, 5, 7]) {
    copy.onUpdate(update('/a', number, 'x'));
  }
  assert.equal(copy.onSnapshot(end(3)).length, 2);
  assert.equal(copy.following, false);
});

test('malformed messages are errors', () => {
  const copy = copyWith('', 3, {});
  assert.throws(() => copy.onUpdate([bytes('/a')]), {code: 'malformed'});
  assert.throws(() => copy.onUpdate([bytes('/a'), bytes('1'), bytes(''), bytes(''), bytes('x')]), {code: 'malformed'});
  assert.throws(() => copy.onSnapshot([bytes('x')]), {code: 'malformed'});
});
