import { expect } from 'vitest';
import { folderWithKey, LAB, sshTest } from './pods-support.ts';
import { localExec } from './workers/support.ts';

/** Waits for a line of the output of a forward that runs in the background. */
const HELPERS = `
said() {
  until grep -q "$1" forward.txt; do sleep 0.1; done
}
`;

/** A server of HTTP and of websockets, and a client that opens many connections at once. */
const SERVER = `
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const server = createServer((request, response) => response.end('page ' + process.argv[2] + ' ' + request.url));
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  // Each frame comes back as it is, without the mask of the client.
  socket.on('data', (frame) => {
    const [length, mask, body] = [frame[1] & 127, frame.subarray(2, 6), Buffer.from(frame.subarray(6))];
    body.forEach((byte, at) => (body[at] = byte ^ mask[at % 4]));
    socket.write(Buffer.concat([Buffer.from([frame[0], length]), body]));
  });
});
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => writeFileSync('port.txt', String(server.address().port)));
`;

const CLIENT = `
import { get, request } from 'node:http';
const [, , port, what] = process.argv;
const page = (path) => new Promise((resolve, reject) => get({ port, host: '127.0.0.1', path, agent: false }, async (answer) => {
  let text = '';
  for await (const part of answer) text += part;
  resolve(text);
}).on('error', reject));
if (what === 'many') {
  const texts = await Promise.all(Array.from({ length: 100 }, (_, at) => page('/' + at)));
  console.log(texts.filter((text, at) => text.endsWith(' /' + at)).length);
} else if (what === 'socket') {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  request({ port, host: '127.0.0.1', path: '/', headers }).on('upgrade', (_, socket) => {
    const text = Buffer.from('hello');
    const mask = Buffer.from([1, 2, 3, 4]);
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), mask, text.map((byte, at) => byte ^ mask[at % 4])]));
    socket.once('data', (frame) => {
      console.log(frame.subarray(2).toString());
      socket.destroy();
    });
  }).end();
} else console.log(await page('/'));
`;

sshTest(
  'pods forward carries pages, a websocket and 100 connections at once, also after a restart of the pod',
  async () => {
    const folder = await folderWithKey({ 'server.mjs': SERVER, 'client.mjs': CLIENT });
    const node = process.execPath;
    const { code, stdout, stderr } = await localExec(
      folder,
      [],
      `${LAB}${HELPERS}
"${node}" server.mjs first &
server=$!
until test -s port.txt; do sleep 0.1; done
remote=$(cat port.txt)
berth pods forward lab "0:$remote" -o jsonl > rows.txt 2> forward.txt &
forward=$!
said 'Connected to lab. '
port=$(sed 's/.*"local":\\([0-9]*\\).*/\\1/' rows.txt)
"${node}" client.mjs "$port" page
"${node}" client.mjs "$port" socket
"${node}" client.mjs "$port" many
before=$(berth pods get lab --json --jq .ssh.direct.port)
berth pods restart lab --yes > restarted.txt
ready lab
said 'Connected to lab again'
test "$before" != "$(berth pods get lab --json --jq .ssh.direct.port)" && echo moved
"${node}" client.mjs "$port" page
"${node}" client.mjs "$port" many
kill $server
wait $server || true
curl -s "http://127.0.0.1:$port/" || echo "nothing listens: $?"
said 'connection refused'
berth pods forward lab "$port:1" 2> taken.txt || echo "taken $?"
berth pods stop lab --yes --wait > stopped.txt
code=0; wait $forward || code=$?
echo "ended $code"
berth pods forward lab 0:1 2> stopped.txt || echo "stopped $?"
`,
    );
    expect(code, stderr + folder.read('forward.txt')).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'page first /',
      'hello',
      '100',
      'moved',
      'page first /',
      '100',
      expect.stringMatching(/^nothing listens: \d+$/),
      'taken 14',
      'ended 10',
      'stopped 2',
      '',
    ]);
    expect(folder.read('forward.txt')).toContain('pod lab is EXITED: no longer connected');
    expect(folder.read('taken.txt')).toMatch(/port \d+ of this machine is in use/);
  },
);
