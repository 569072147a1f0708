// A socket of jszmq for tests, in Node.js and in a browser. Parts of messages are in hex.
'use strict';
const {Buffer} = require('buffer');
const zmq = require('jszmq');

exports.open = (type, prefixes) => {
  const socket = zmq.socket(type);
  const messages = [];
  const readers = [];
  const match = () => {
    while (messages.length > 0 && readers.length > 0) {
      readers.shift()(messages.shift());
    }
  };
  socket.on('message', (...parts) => {
    messages.push(parts.map((part) => part.toString('hex')));
    match();
  });
  for (const prefix of prefixes) {
    socket.subscribe(Buffer.from(prefix, 'hex'));
  }
  return {
    connect: (endpoint) => socket.connect(endpoint),
    bind: (endpoint, server) => socket.bind(endpoint, server),
    send: (parts) => socket.send(parts.map((part) => Buffer.from(part, 'hex'))),
    receive: () => new Promise((done) => {
      readers.push(done);
      match();
    }),
  };
};
