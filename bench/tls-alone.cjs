// The least that a request over https costs in Node: one connection, one GET, without an HTTP client. With the flags of V8 that
// berth sets for its requests.
'use strict';
const { writeSync } = require('node:fs');
const { connect } = require('node:tls');
const { setFlagsFromString } = require('node:v8');

setFlagsFromString('--no-regexp-optimization');
setFlagsFromString('--no-regexp-peephole-optimization');
const { hostname, port, host } = new URL(process.env.BERTH_BASE_URL);
const socket = connect({ host: hostname, port: Number(port), servername: hostname }, () => {
  socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
});
let text = '';
socket.on('data', (chunk) => (text += chunk.latin1Slice()));
socket.on('end', () => {
  writeSync(1, text);
  process.exit();
});
