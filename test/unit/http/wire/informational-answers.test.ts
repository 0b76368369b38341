import { connect as connectTcp } from 'node:net';
import { expect, test } from 'vitest';
import { connect, onRequest, read, serve, serveTcp, write } from '../../../support/servers/http-server.ts';

// These fail when undici reads answers in another way than src/http/wire/informational-answers.ts expects. test/faults has
// the same faults for commands, and tls.test.ts for https.

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

test('a stream of events follows informational answers', async () => {
  const server = await serve((response) => {
    response.socket?.write(BEFORE);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\ndata: 2\n\n');
  });
  const got: string[] = [];
  for await (const { data } of connect(server.url).api.events(read)) got.push(data);
  expect(got).toEqual(['1', '2']);
});

test('an informational answer that comes after the answer is not taken for the next one', async () => {
  const server = await serveTcp((socket) => {
    onRequest(socket, () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}${BEFORE}`));
  });
  const { api } = connect(server.url);
  for (const request of [write, write, read]) expect((await api.send(request)).status).toBe(200);
});

test('a proxy sends informational answers before it opens a tunnel', async () => {
  const target = await serveTcp((socket) => socket.end('no TLS here'));
  const proxy = await serveTcp((socket) => {
    socket.once('data', () => {
      const upstream = connectTcp(target.port, '127.0.0.1', () => {
        socket.write(`${BEFORE}HTTP/1.1 200 OK\r\n\r\n`);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => undefined);
    });
  });
  const { api } = connect('https://127.0.0.1:8999', { retries: 0 }, { env: { HTTPS_PROXY: proxy.url } });
  // The tunnel is open when the handshake begins.
  await expect(api.send(write)).rejects.toThrow('the TLS handshake failed');
});
