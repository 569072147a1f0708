// The connections of tools/web, with WebSockets and timers that the test moves. Runs in Node.js.

import assert from 'node:assert/strict';
import test from 'node:test';

import {callService, followMap} from '../../tools/web/zinc.js';
import {encodeMessage, text} from '../../tools/web/zws.js';

class Socket {
  static all = [];

  constructor(url) {
    this.url = url;
    this.open = true;
    this.sent = [];
    Socket.all.push(this);
  }
  send(frame) {
    this.sent.push(frame);
  }
  close() {
    this.open = false;
  }
  accept() {
    this.onopen();
    this.onmessage({data: new Uint8Array([0]).buffer});  // a routing id
  }
  receive(...parts) {
    for (const frame of encodeMessage(parts)) {
      this.onmessage({data: frame.buffer});
    }
  }
}

const openSockets = () => Socket.all.filter((each) => each.open);

function begin(t) {
  t.mock.timers.enable({apis: ['setTimeout', 'setInterval']});
  Socket.all = [];
}

const number = (last) => new Uint8Array([0, 0, 0, 0, 0, 0, 0, last]);
const heartbeat = ['HUGZ', number(0), '', '', ''];
const end = ['KTHXBAI', number(2), '', '', ''];

// A copy of which the publisher has sent something, and the connection for its snapshot.
function heard(onChange, options = {}) {
  const copy = followMap('ws://localhost:5561/map', '', onChange, {WebSocket: Socket, ...options});
  const [publisher] = Socket.all;
  publisher.accept();
  publisher.receive(...heartbeat);
  const snapshots = Socket.all.at(-1);
  snapshots.accept();
  return {copy, publisher, snapshots};
}

test('a copy that its user closes in onChange has no connection and no timer', (t) => {
  begin(t);
  const errors = [];
  const {copy, snapshots} = heard(() => copy.close(), {onError: (error) => errors.push(error)});
  snapshots.receive('/a', number(1), '', '', 'x');
  snapshots.receive(...end);
  assert.deepEqual(openSockets(), []);
  const made = Socket.all.length;
  t.mock.timers.tick(60_000);
  assert.equal(Socket.all.length, made);
  assert.deepEqual(errors, []);
});

const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;

test('a copy that is closed between two connections keeps no timer', () => {
  Socket.all = [];
  const before = timers();
  const copy = followMap('ws://localhost:5561/map', '', () => {}, {WebSocket: Socket});
  Socket.all[0].onclose();
  assert.equal(timers(), before + 1);
  copy.close();
  assert.equal(timers(), before);
});

test('a copy connects again after onError has thrown', (t) => {
  begin(t);
  followMap('ws://localhost:5561/map', '', () => {}, {
    WebSocket: Socket,
    onError: () => { throw new Error('of the user'); },
  });
  assert.throws(() => Socket.all[0].onclose(), {message: 'of the user'});
  t.mock.timers.tick(250);
  assert.equal(Socket.all.length, 2);
});

test('a snapshot that stops ends the visit, though the publisher is well', (t) => {
  begin(t);
  const errors = [];
  const {publisher, snapshots} = heard(() => {}, {onError: (error) => errors.push(error.code)});
  snapshots.receive('/a', number(1), '', '', 'x');
  for (let i = 0; i < 6; ++i) {
    t.mock.timers.tick(1_000);
    if (publisher.open) {
      publisher.receive(...heartbeat);
    }
  }
  assert.deepEqual(errors, ['timeout']);
});

// Each request of an active server would bring another snapshot.
test('an answer ends the requests, though the publisher has sent nothing yet', (t) => {
  begin(t);
  const copy = followMap('ws://localhost:5561/map', '', () => {}, {WebSocket: Socket});
  const [publisher] = Socket.all;
  publisher.accept();
  const first = Socket.all.at(-1);
  first.accept();
  const requests = () => first.sent.filter((frame) => text(frame).endsWith('ICANHAZ?')).length;
  assert.equal(requests(), 1);
  t.mock.timers.tick(500);
  assert.equal(requests(), 2);
  first.receive('/a', number(1), '', '', 'x');
  first.receive(...end);
  t.mock.timers.tick(4_000);
  assert.equal(requests(), 2);
  assert.equal(copy.following, false);
  publisher.receive(...heartbeat);
  const second = Socket.all.at(-1);
  assert.deepEqual([first.open, second === first], [false, false]);
  second.accept();
  second.receive(...end);
  assert.equal(copy.following, true);
  copy.close();
});

test('the second port follows the first, which has a default', (t) => {
  const cases = [
    ['ws://host:5561/map', 'ws://host:5562/map'],
    ['ws://host/map', 'ws://host:81/map'],
    ['wss://host/map', 'wss://host:444/map'],
  ];
  for (const [url, publisher] of cases) {
    begin(t);
    const copy = followMap(url, '', () => {}, {WebSocket: Socket});
    Socket.all[0].accept();
    assert.deepEqual(Socket.all.map((each) => each.url), [publisher, url]);
    copy.close();
    t.mock.timers.reset();
  }
});

test('text instead of a message ends a call', async () => {
  Socket.all = [];
  const call = callService('ws://localhost/mdp', 'echo', ['x'], {WebSocket: Socket});
  Socket.all[0].accept();
  Socket.all[0].onmessage({data: '99999999999999999999'});
  await assert.rejects(call, {code: 'malformed'});
});
