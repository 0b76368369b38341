import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OUT } from '../../../../support/batch/command-fixture.ts';
import {
  contentOf,
  FETCH,
  fetchFrom,
  filesIn,
  servePaths,
  summaryOf,
  worldWith,
} from '../../../../support/batch/fetch-outputs-fixture.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';

describe('the hosts of jobs batch export --fetch-outputs', () => {
  test('never sends the key', async () => {
    const server = await servePaths();
    const world = worldWith([`${server.url}/x`]);
    await fetchFrom(world, server, '.', '--verbose');
    expect(server.seen).toHaveLength(1);
    expect(JSON.stringify(server.seen)).not.toContain('secret-key-of-this-test');
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('needs hosts, and names those that outputs name', async () => {
    const world = worldWith([{ url: 'https://files.example.com/a' }, { url: 'https://other.example.com/b' }]);
    const ran = await berthIn(world, [...FETCH, 'url', '--into', 'files']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('files.example.com (1), other.example.com (1)')]);
    expect(existsSync(join(world.directory, 'files'))).toBe(false);
    expect((await berthIn(world, [...FETCH, 'url', '--fetch-from', 'files.example.com'])).code).toBe(2);
    expect((await berthIn(world, ['jobs', 'batch', 'export', OUT, '--into', 'files'])).code).toBe(2);
  });

  test.each(['*.example.com', 'https://files.example.com', 'files.example.com/path', 'user@files.example.com', ' '])(
    'refuses the host %j',
    async (host) => {
      const ran = await berthIn(worldWith(['x']), [...FETCH, '.', '--into', 'files', '--fetch-from', host]);
      expect(ran.code).toBe(2);
    },
  );

  test('reads nothing from an address that is not allowed', async () => {
    const server = await servePaths();
    const [, port] = server.url.split('127.0.0.1:');
    const world = worldWith([
      'https://files.example.com/a',
      `http://localhost:${String(port)}/a`,
      'http://files.example.com/a',
      `http://user:pass@127.0.0.1:${String(port)}/a`,
      'file:///etc/passwd',
      'data:text/plain,x',
      '../../etc/passwd',
      'http://169.254.169.254/latest/meta-data',
      'https://[::ffff:127.0.0.1]/a',
      7,
      { url: 'x' },
    ]);
    const ran = await fetchFrom(world, server, '.');
    expect([ran.code, summaryOf(ran).failed]).toEqual([13, 11]);
    expect(server.seen).toHaveLength(0);
    expect(filesIn(world)).toEqual(['manifest.jsonl']);
    expect(summaryOf(ran).failures.map(({ reason }) => reason.replace(`:${String(port)}`, ':PORT')))
      .toMatchInlineSnapshot(`
      [
        "--fetch-from does not name its host, files.example.com",
        "--fetch-from does not name its host, localhost:PORT",
        "its address is plain http, not https",
        "its address holds a user name or password",
        "it is not an https address",
        "it is not an https address",
        "it is not an https address",
        "its address is plain http, not https",
        "--fetch-from does not name its host, [::ffff:7f00:1]",
        "what the output has there is not an address",
        "what the output has there is not an address",
      ]
    `);
  });

  test('follows a redirect only to an allowed host, and not for ever', async () => {
    const elsewhere = await servePaths();
    const server = await servePaths((response, { url }) => {
      const targets: Readonly<Record<string, string>> = {
        '/away': `${elsewhere.url}/x`,
        '/here': '/there',
        '/loop': '/loop',
      };
      const target = targets[url];
      if (target !== undefined) response.writeHead(302, { location: target }).end();
      return target !== undefined;
    });
    const world = worldWith(['/away', '/here', '/loop'].map((path) => server.url + path));
    const ran = await fetchFrom(world, server, '.');
    expect(ran.code).toBe(13);
    expect(summaryOf(ran).failures.map(({ item, reason }) => `${String(item)}: ${reason}`)).toEqual([
      expect.stringMatching(/^1: it is redirected, and there --fetch-from does not name its host/),
      '3: it is redirected more than 5 times',
    ]);
    expect(elsewhere.seen).toHaveLength(0);
    expect(contentOf(world, '000002-1-here')).toBe('content of /there');
  });
});
