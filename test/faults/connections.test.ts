import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { someReads, someWrites, testEnds, type Read } from '../support/worlds/read-write-commands.ts';
import { createDeadlineClock } from '../support/clocks/deadline-clock.ts';
import { refusingPort } from '../support/servers/ports.ts';
import {
  drip,
  hangUp,
  json,
  listen,
  raw,
  reset,
  routed,
  silent,
  type Behaviour,
} from '../support/servers/scripted-server.ts';
import { fails, works } from '../support/worlds/expect-run.ts';

// Rows 6, 7 and 8 of docs/faults.md: connections that stall, break, or never open.

/** Starts a TCP server that does not speak HTTP. Returns its port. */
async function serveTcp(greet: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return await listen(server);
}

describe.each([
  ['a body that drips', drip],
  ['headers that never come', silent],
  ['headers that break off and stay open', ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-ty')],
] satisfies [string, Behaviour][])('%s', (_, stall) => {
  let clock = createDeadlineClock();
  const world = () => ({ clock: (clock = createDeadlineClock()) });
  const trouble: Behaviour = (exchange) => {
    clock.expireAfter(stall)(exchange);
  };
  testEnds({ trouble, says: [/no complete answer within (30s|2m)/], world });
});

describe('a job whose id is known when the service stops answering', () => {
  const submitted = { 'POST /v2/ep1/run': json({ id: 'job1', status: 'IN_QUEUE' }) };

  test.each([
    ['--wait', 'Run berth jobs wait ep1 job1'],
    ['--stream', 'Run berth jobs stream ep1 job1'],
  ])('jobs run %s has told its id, and says how to go on', async (flag, goOn) => {
    const clock = createDeadlineClock();
    const { error, block } = await fails(
      ['jobs', 'run', 'ep1', '--input', '{}', flag, '--wait-timeout', '1m'],
      { exit: 9, says: ['no complete answer', goOn], told: /^submitted job job1\n/, out: /^(\[\]\n)?$/ },
      [routed(submitted, clock.expireAfter(silent))],
      { clock },
    );
    expect(error.id).toBe('job1');
    expect(block).toContain('job1');
  });

  test('jobs run --sync polls the status after its wait, and prints the id when the service stops answering', async () => {
    const clock = createDeadlineClock();
    const { error } = await fails(
      ['jobs', 'run', 'ep1', '--input', '{}', '--sync'],
      {
        exit: 9,
        says: ['no complete answer', 'Run berth jobs wait ep1 sync-1'],
        told: /^submitted job sync-1\n/,
      },
      [routed({ 'POST /v2/ep1/runsync': json({ id: 'sync-1', status: 'IN_PROGRESS' }) }, clock.expireAfter(silent))],
      { clock },
    );
    expect(error.id).toBe('sync-1');
  });

  test('a stream that stops has printed its chunks', async () => {
    const clock = createDeadlineClock();
    const { error } = await fails(
      ['jobs', 'stream', 'ep1', 'job1', '--wait-timeout', '1m'],
      { exit: 9, says: ['no complete answer', 'Run berth jobs stream ep1 job1'], out: /first/ },
      [json([{ output: 'first' }]), clock.expireAfter(silent)],
      { clock },
    );
    expect(error.id).toBe('job1');
  });
});

describe.each([
  ['a reset', reset],
  ['a close', hangUp],
  ['an answer that is not HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n')],
])('%s after the request was sent', (_, breakOff) => {
  testEnds({ trouble: breakOff, says: ['no readable answer'], tries: 4 });

  test('a read succeeds at the next try', async () => {
    const { out } = await works(['pods', 'get', 'pod1', '--json'], [breakOff, json('{"id":"pod1"}')]);
    expect(JSON.parse(out)).toEqual({ id: 'pod1' });
  });
});

describe('a keep-alive connection that is reset at its second request', () => {
  test('a write on it is not sent again: 8', async () => {
    const { servers } = await fails(
      ['account', 'ssh-keys', 'add', 'ssh-ed25519 AAAA me@host'],
      { exit: 8, says: ['may have happened', 'berth account ssh-keys list'] },
      [json({ keys: [] }), reset],
    );
    expect(servers[0].seen.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    expect(servers[0].connections()).toBe(1);
  });

  test('a read on it is sent again on a new connection', async () => {
    const { out, server } = await works(
      ['jobs', 'wait', 'ep1', 'job1', '-o', 'id'],
      [
        json({ id: 'job1', status: 'IN_PROGRESS' }),
        reset,
        json({ id: 'job1', status: 'COMPLETED', delayTime: 1, executionTime: 2 }),
      ],
    );
    expect(out).toBe('job1\n');
    expect(server.connections()).toBe(2);
  });
});

describe('a connection that never opens: nothing was sent, 7, and writes are retried too', () => {
  const says = ['could not reach', 'Nothing was sent', 'berth doctor'];

  test.each([...someReads, ...someWrites])('refused: %s', async (_, { argv }: Read) => {
    const url = `http://127.0.0.1:${String(await refusingPort())}`;
    const env = { BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url };
    const told = /^(The older volume API \(v1\) is retired .*\n)?$/;
    const all = [...says, 'connection refused', 'tried 4 times'];
    const { error } = await fails(argv, { exit: 7, says: all, told }, [], { env });
    expect(error.code).toBe('unavailable');
  });

  test.each([...someReads, ...someWrites])(
    'a handshake with a server that speaks no TLS: %s',
    async (_, { argv }: Read) => {
      const url = `https://127.0.0.1:${String(await serveTcp((socket) => socket.end('220 mail ESMTP\r\n')))}`;
      const env = { BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_REST_URL: url };
      await fails(['--retries', '0', ...argv], { exit: 7, says: [...says, 'TLS handshake'] }, [], { env });
    },
  );

  test('a name that does not exist', async () => {
    const env = { BERTH_BASE_URL: 'https://no-such-host.invalid' };
    await fails(['--retries', '1', 'pods', 'get', 'pod1'], { exit: 7, says: [...says, 'host name'] }, [], { env });
    await fails(
      [
        '--retries',
        '1',
        ...['volumes', 'create', '--name', 'n', '--size', '10', '--data-center', 'DC', '--type', 'STANDARD', '--quiet'],
      ],
      { exit: 7, says: [...says, 'no-such-host.invalid'] },
      [],
      { env },
    );
  });

  test.each(['pods get pod1', 'queue purge ep1 --yes'])('a handshake that never ends: %s', async (line) => {
    const clock = createDeadlineClock();
    const url = `https://127.0.0.1:${String(await serveTcp(() => setImmediate(clock.expire)))}`;
    const env = { BERTH_BASE_URL: url, BERTH_QUEUE_URL: url };
    await fails(line.split(' '), { exit: 7, says: [...says, 'no complete answer'] }, [], { env, clock });
  });

  test('a certificate of an unknown issuer: 7 at once, with advice', async () => {
    const { createServer: createTlsServer } = await import('node:https');
    const { readFile } = await import('node:fs/promises');
    const tls = (name: string): Promise<Buffer> => readFile(new URL(`../support/tls/${name}`, import.meta.url));
    let requests = 0;
    let connections = 0;
    const server = createTlsServer(
      { key: await tls('test-only-key.pem'), cert: await tls('test-only-certificate.pem') },
      (_, response) => {
        requests++;
        response.end('{}');
      },
    );
    server.on('connection', () => connections++);
    onTestFinished(() => {
      server.close();
    });
    const url = `https://127.0.0.1:${String(await listen(server))}`;
    await fails(
      ['pods', 'get', 'pod1'],
      { exit: 7, says: ['is self-signed and not trusted', 'NODE_EXTRA_CA_CERTS', 'Nothing was sent'] },
      [],
      { env: { BERTH_BASE_URL: url } },
    );
    expect(requests).toBe(0);
    // One connection of the run without --json and one of the run with it: there was no retry. A server of Bun does not count them.
    if (process.versions['bun'] === undefined) expect(connections).toBe(2);
  });
});
