import { expect, test } from 'vitest';
import { connect, onRequest, read, serveTcp, write } from '../../../support/servers/http-server.ts';

// These fail when undici reads answers in another way than `skipContinue` in src/http/wire/connections.ts expects.

const BEFORE = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\ncontent-length: 9\r\nlink: </a>\r\n\r\n',
  'HTTP/1.1 102 Processing\r\ntransfer-encoding: chunked\r\n\r\n',
].join('');

test('informational answers that come byte by byte have no effect on the answer or on the connection', async () => {
  let connections = 0;
  const server = await serveTcp((socket) => {
    connections++;
    socket.setNoDelay(true);
    onRequest(socket, () => {
      for (const byte of `${BEFORE}HTTP/1.1 201 Created\r\ncontent-length: 7\r\n\r\n{"a":1}`) socket.write(byte);
    });
  });
  const { api } = connect(server.url);
  for (const request of [write, read, write])
    expect(await api.send(request)).toMatchObject({ status: 201, value: { a: 1 } });
  expect(connections).toBe(1);
});

test('an informational answer that comes after the answer is not taken for the next one', async () => {
  const server = await serveTcp((socket) => {
    onRequest(socket, () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}${BEFORE}`));
  });
  const { api } = connect(server.url);
  for (const request of [write, write, read]) expect((await api.send(request)).status).toBe(200);
});
