import { createServer } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { onWrite, someWrites, writes } from '../support/worlds/read-write-commands.ts';
import { berth } from '../support/worlds/run-berth.ts';
import { expectNoKeyNoStack, fails, works } from '../support/worlds/expect-run.ts';
import { refusingPort } from '../support/servers/ports.ts';
import { json, listen, pointedAt, serve, text, type Behaviour } from '../support/servers/scripted-server.ts';

// Rows 23 to 26 of docs/faults.md: the addresses that a request may and may not be sent to.

const POD = json({ id: 'pod1' });
const get = ['pods', 'get', 'pod1'];
const getId = [...get, '-o', 'id'];
const PASSWORD = 'pass-word-of-a-proxy';

describe('a proxy of the environment', () => {
  /** A forward proxy on loopback that answers plain requests itself and opens tunnels. */
  async function serveProxy(): Promise<{ readonly url: string; readonly seen: string[] }> {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
      response.end('{"id":"pod1"}');
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url ?? ''}`);
      const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      for (const end of [target, socket]) end.on('error', () => socket.destroy());
    });
    onTestFinished(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    return { url: `http://someone:${PASSWORD}@127.0.0.1:${String(await listen(proxy))}`, seen };
  }

  test.each(['HTTP_PROXY', 'http_proxy'])(
    '%s never gets a request to this machine, which has the key',
    async (name) => {
      const proxy = await serveProxy();
      const { out, server } = await works(getId, [POD], { env: { [name]: proxy.url } });
      expect(out).toBe('pod1\n');
      expect(proxy.seen).toEqual([]);
      expect(server.seen).toHaveLength(1);
    },
  );

  test('HTTPS_PROXY is asked for a tunnel; a request that fails in it was not sent: 7', async () => {
    const proxy = await serveProxy();
    const plain = await serve([text('no TLS here')]);
    const env = { BERTH_BASE_URL: `https://127.0.0.1:${String(plain.port)}`, HTTPS_PROXY: proxy.url };
    const { runs } = await fails(['--retries', '0', ...get], { exit: 7, says: ['Nothing was sent'] }, [], { env });
    for (const ran of runs) expect(ran.err).not.toContain(PASSWORD);
    expect(proxy.seen[0]).toBe(`CONNECT 127.0.0.1:${String(plain.port)}`);
  });

  test('a proxy that cannot be reached: 7, without its password', async () => {
    const env = {
      BERTH_BASE_URL: 'https://service.test',
      HTTPS_PROXY: `http://someone:${PASSWORD}@127.0.0.1:${String(await refusingPort())}`,
    };
    const { runs } = await fails(get, { exit: 7, says: ['Nothing was sent', 'refused'] }, [], { env });
    for (const ran of runs) expect(ran.err).not.toContain(PASSWORD);
  });

  test.each(['not an address', 'ftp://proxy:21', `socks5://x:${PASSWORD}@proxy:1080`, `http://x:${PASSWORD}@`])(
    'one that is none (%s): 2, by the name of the variable',
    async (value) => {
      const { runs } = await fails(get, { exit: 2, says: ['HTTP_PROXY'] }, [POD], { env: { HTTP_PROXY: value } });
      for (const ran of runs) expect(ran.err).not.toContain(PASSWORD);
    },
  );
});

describe('a base address', () => {
  test.each([
    ['', '/v2/pods/pod1'],
    ['/', '/v2/pods/pod1'],
    ['//', '/v2/pods/pod1'],
    ['/some/prefix', '/some/prefix/v2/pods/pod1'],
    ['/some/prefix/', '/some/prefix/v2/pods/pod1'],
    ['/with%20space/', '/with%20space/v2/pods/pod1'],
    ['/a/../b', '/b/v2/pods/pod1'],
    ['/some/prefix//', '/some/prefix/v2/pods/pod1'],
  ])('with the path %j is joined correctly', async (path, sent) => {
    const server = await serve([POD]);
    const ran = await berth(getId, { env: pointedAt(server.url + path) });
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'pod1\n' });
    expect(server.seen.map(({ url }) => url)).toEqual([sent]);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  test.skipIf(!hasIpv6)('of IPv6', async () => {
    const server = await serve([POD], '::1');
    const ran = await berth(getId, { env: pointedAt(server.url) });
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'pod1\n' });
    expect(server.seen[0]?.headers.host).toBe(`[::1]:${String(server.port)}`);
  });

  test.each(['127.1', '0x7f.0.0.1', '2130706433', 'LOCALHOST', '127.0.0.1'])(
    'of this machine, spelled %s',
    async (host) => {
      const server = await serve([POD]);
      const ran = await berth(getId, { env: pointedAt(`http://${host}:${String(server.port)}`) });
      expect(ran, ran.err).toMatchObject({ code: 0, out: 'pod1\n' });
    },
  );

  test.each([
    ['with a query', 'https://api.example.com/?token=hush-hush', /query/],
    ['with an empty query', 'https://api.example.com/?', /query/],
    ['with a fragment', 'https://api.example.com/#hush-hush', /fragment/],
    ['with user info', 'https://someone:hush-hush@api.example.com', /user name, a password/],
    ['with a name alone', 'https://hush-hush@api.example.com', /user name, a password/],
    ['of another scheme', 'ftp://api.example.com', /not an http or https address/],
    ['without a scheme', 'api.example.com', /not an http or https address/],
    ['with a host that is none', 'https://exa mple.com', /not an http or https address/],
    ['with a port that is none', 'https://api.example.com:99999', /not an http or https address/],
    ['of a file', 'file:///etc/passwd', /not an http or https address/],
  ])('%s: 2 with the reason, the first from every source', async (which, address, says) => {
    const unset = { BERTH_BASE_URL: '' };
    const sources = [
      [get, { BERTH_BASE_URL: address }],
      [['--base-url', address, ...get], unset],
      [['config', 'set', 'base-url', address], unset],
      [['api', 'POST', '/v2/x', '--input', '{}'], { BERTH_BASE_URL: address }],
    ] as const;
    for (const [argv, env] of which === 'with a query' ? sources : sources.slice(0, 1)) {
      const { runs } = await fails(argv, { exit: 2, says: [says, /Write|port/] }, [], { env });
      for (const ran of runs) expect(ran.err).not.toContain('hush-hush');
    }
  });
});

describe('the address of the files on volumes', () => {
  test.each([
    ['without a scheme', 'files-{data-center}.example.com', /not an http or https address/],
    ['with user info', 'https://someone:hush-hush@files-{data-center}.example.com', /user name, a password/],
    ['with a query', 'https://files-{data-center}.example.com/?token=hush-hush', /query/],
    ['with a fragment', 'https://files.example.com/{data-center}#hush-hush', /fragment/],
    ['that is plain http to another machine', 'http://files-{data-center}.example.com', /plain http/],
    ['with another placeholder', 'https://files-{data-centre}.example.com', /"\{data-centre\}/],
    ['with one in other letters', 'https://files-{DATA-CENTER}.example.com', /"\{DATA-CENTER\}/],
    ['with half of one', 'https://files-data-center}.example.com', /"\}/],
  ])('%s: 2 with the reason before anything is sent, the first from every source', async (which, address, says) => {
    const unset = { BERTH_STORAGE_URL: '' };
    const sources = [
      [['files', 'ls', 'vol1:'], { BERTH_STORAGE_URL: address }],
      [['--storage-url', address, 'files', 'ls', 'vol1:'], unset],
      [['config', 'set', 'storage-url', address], unset],
    ] as const;
    for (const [argv, env] of which === 'without a scheme' ? sources : sources.slice(0, 1)) {
      const { runs, servers } = await fails(argv, { exit: 2, says: [says, /Write|port|Use https|placeholder/] }, [], {
        env,
      });
      for (const ran of runs) expect(ran.err).not.toMatch(/hush-hush|data-center-of/);
      for (const { seen } of servers) expect(seen).toEqual([]);
    }
  });

  test.each([
    'https://files-{data-center}.example.com',
    'https://files.example.com/{data-center}/s3',
    'http://localhost:4566',
  ])('is kept as it is given: %s', async (address) => {
    const ran = await berth(['config', 'set', 'storage-url', address]);
    expect([ran.code, ran.err]).toEqual([0, expect.anything()]);
  });
});

describe('plain http to anything but this machine: 2 before sending', () => {
  test.each([
    'http://localhost.evil.test',
    'http://127.0.0.1.evil.test',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[::]',
    'http://[::2]',
    'http://0.0.0.0',
    'http://evil.localhost',
    'http://localhost.',
    'http://10.0.0.1',
    'http://[fe80::1]',
    'http://api.example.com',
    'http://127.0.0.1%2eevil.test',
    'http://1270.0.0.1.evil.test',
  ])('%s', async (address) => {
    const all = [get, ['jobs', 'run', 'ep', '--input', '{}'], ['auth', 'status', '--check']];
    for (const argv of address === 'http://api.example.com' ? all : [get]) {
      const { error, servers } = await fails(argv, { exit: 2, says: ['plain http', 'Use https'] }, [], {
        env: { BERTH_BASE_URL: address, BERTH_QUEUE_URL: address },
      });
      expect(error.code).toBe('usage');
      expect(servers[0].connections()).toBe(0);
    }
  });

  test.each(['http://127.0.0.1@evil.test', 'http://localhost:80@evil.test'])(
    '%s hides its host: 2',
    async (address) => {
      await fails(get, { exit: 2, says: ['user name, a password'] }, [], { env: { BERTH_BASE_URL: address } });
    },
  );
});

describe('a redirect', () => {
  const statuses = [301, 302, 303, 307, 308];
  const to = (status: number, location: string): Behaviour => text('', status, { location });

  test.each(statuses)('%i to another server is refused, and that server sees nothing', async (status) => {
    const other = await serve([POD]);
    for (const location of [
      `${other.url}/v2/pods/pod1`,
      `//127.0.0.1:${String(other.port)}/x`,
      `https://127.0.0.1:${String(other.port)}/`,
    ]) {
      const { error, servers } = await fails(get, { exit: 7, says: [String(status), 'Redirects are refused'] }, [
        to(status, location),
      ]);
      expect(error.code).toBe('redirected');
      expect(servers[0].seen).toHaveLength(1);
    }
    // 302 and 303 can be the answer to a write that was done.
    for (const [name, write] of status === 302 || status === 307 ? writes : someWrites) {
      const done = status === 302 || status === 303;
      const { servers } = await fails(
        write.argv,
        { exit: done ? 8 : 7, says: ['Redirects are refused', ...(done ? [write.checkCommand] : [])] },
        [onWrite(to(status, `${other.url}/${name}`.replaceAll(' ', '-')))],
      );
      expect(servers[0].seen.length - (write.before ?? 0)).toBe(1);
    }
    expect(other.connections()).toBe(0);
  });

  test.each(statuses)('%i to the same server is refused too', async (status) => {
    const { servers } = await fails(get, { exit: 7, says: [String(status)] }, [to(status, '/v2/pods/pod2'), POD]);
    expect(servers[0].seen).toHaveLength(1);
  });

  test('the error names the target without its query and credentials', async () => {
    const { block, error } = await fails(get, { exit: 7, says: ['It points to https://elsewhere.test/v2'] }, [
      to(307, 'https://someone:hush-hush@elsewhere.test/v2?token=hush-hush#hush-hush'),
    ]);
    expect(block + JSON.stringify(error)).not.toContain('hush-hush');
  });

  test.each(['', 'not a place', undefined])('to nowhere (%j) is one all the same', async (location) => {
    const headers = location === undefined ? {} : { location };
    await fails(get, { exit: 7, says: ['302', 'Redirects are refused'] }, [text('', 302, headers)]);
  });

  test('304 without a conditional request is an error', async () => {
    await fails(get, { exit: 7, says: ['304'] }, [text('', 304)]);
  });

  test('--verbose does not print the key', async () => {
    const server = await serve([to(307, 'https://elsewhere.test/')]);
    const ran = await berth(['--verbose', ...get], { env: pointedAt(server.url) });
    expectNoKeyNoStack(ran);
    expect(ran.err).toContain('Bearer ***');
  });
});
