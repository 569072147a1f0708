// A socket of jszmq as a process: jszmq_peer.js TYPE connect|bind ENDPOINT [PREFIX]…
//
// The program sends each line of its input, a JSON array of parts in hex, and prints each message that it receives in
// the same form. With `bind`, ENDPOINT is only a path: the system chooses the port, and the program first prints
// `bound ENDPOINT`. It ends with its input.
'use strict';
const http = require('http');
const readline = require('readline');
const {open} = require('./jszmq_socket.js');

const [type, how, endpoint, ...prefixes] = process.argv.slice(2);
const socket = open(type, prefixes);

function start() {
  readline.createInterface({input: process.stdin})
    .on('line', (line) => socket.send(JSON.parse(line)))
    .on('close', () => process.exit(0));
  const print = (message) => {
    process.stdout.write(JSON.stringify(message) + '\n');
    socket.receive().then(print);
  };
  socket.receive().then(print);
}

if (how === 'connect') {
  socket.connect(endpoint);
  start();
} else {
  const server = http.createServer();
  server.listen(0, '127.0.0.1', () => {
    const at = `ws://127.0.0.1:${server.address().port}${endpoint}`;
    socket.bind(at, server);
    process.stdout.write(`bound ${at}\n`);
    start();
  });
}
