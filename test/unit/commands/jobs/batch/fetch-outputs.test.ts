import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  contentOf,
  fetchFrom,
  filesIn,
  servePaths,
  summaryOf,
  worldWith,
} from '../../../../support/batch/fetch-outputs-fixture.ts';
import { serve } from '../../../../support/servers/http-server.ts';

describe('jobs batch export --fetch-outputs', () => {
  test('downloads each file that an output names, once, and lists them with size and hash', async () => {
    const server = await servePaths();
    const world = worldWith([
      { image: `${server.url}/a/cat.png?signature=s3cret` },
      { image: [`${server.url}/one.txt`, `${server.url}/two.txt`] },
      { other: 1 },
      { image: null },
    ]);
    const ran = await fetchFrom(world, server, 'image');
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { files: 3, downloaded: 3, existing: 0, failed: 0 }]);
    expect(filesIn(world)).toEqual(['000001-1-cat.png', '000002-1-one.txt', '000002-2-two.txt', 'manifest.jsonl']);
    expect(contentOf(world, '000002-2-two.txt')).toBe('content of /two.txt');
    const manifest = contentOf(world, 'manifest.jsonl');
    expect(manifest).not.toContain('s3cret');
    const content = 'content of /a/cat.png?signature=s3cret';
    expect(manifest.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as unknown)))).toContainEqual(
      expect.objectContaining({
        item: 1,
        address: `${server.url}/a/cat.png`,
        file: '000001-1-cat.png',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      }),
    );
    const again = await fetchFrom(world, server, 'image');
    expect([again.code, summaryOf(again)]).toMatchObject([0, { files: 3, downloaded: 0, existing: 3 }]);
    expect(server.seen).toHaveLength(3);
  });

  test('downloads no more than --max-total in all, and nothing more after the first file that did not fit', async () => {
    const server = await servePaths((response, { url }) => {
      if (url !== '/large') return false;
      response.writeHead(200, { 'content-length': 1_000_000_000 }).write('the first bytes');
      return true;
    });
    const world = worldWith(['small', 'large', 'later'].map((name) => `${server.url}/${name}`));
    const limited = await fetchFrom(world, server, '.', '--max-total', '1', '--at-once', '1');
    expect([limited.code, summaryOf(limited)]).toMatchObject([15, { files: 3, downloaded: 1, failed: 2 }]);
    expect(summaryOf(limited).failures.map(({ item, reason }) => [item, reason])).toEqual([
      [2, 'the files are larger than --max-total'],
      [3, 'the files are larger than --max-total'],
    ]);
    expect([filesIn(world), server.seen.map(({ url }) => url)]).toEqual([
      ['000001-1-small', 'manifest.jsonl'],
      ['/small', '/large'],
    ]);
  });

  test('retries as every read does, and reports what failed in the end', async () => {
    const server = await servePaths((response, { url }, count) => {
      if (url === '/busy' && count < 3) response.writeHead(503).end();
      else if (url === '/gone') response.writeHead(404).end('no');
      else return false;
      return true;
    });
    const world = worldWith([`${server.url}/busy`, `${server.url}/gone`]);
    const ran = await fetchFrom(world, server, '.', '--at-once', '1');
    expect([ran.code, summaryOf(ran)]).toMatchObject([13, { downloaded: 1, failed: 1 }]);
    expect(ran.err).toContain(`item 2, ${server.url}/gone: the answer is 404`);
    expect(server.seen.filter(({ url }) => url === '/gone')).toHaveLength(1);
  });

  test('goes on where a download broke off, if the file is the same by its ETag', async () => {
    const whole = `${'x'.repeat(100_000)}end`;
    let part = '';
    /** Breaks the connection when the client has written what came. */
    const breakOff = (response: ServerResponse): void => {
      if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) > 0) response.destroy();
      else setImmediate(breakOff, response);
    };
    const server = await serve((response, { headers }, count) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = `bytes ${String(from)}-${String(whole.length - 1)}/${String(whole.length)}`;
      const about = { etag: '"v1"', 'content-length': whole.length - from };
      response.writeHead(from === 0 ? 200 : 206, from === 0 ? about : { ...about, 'content-range': range });
      if (count > 1) response.end(whole.slice(from));
      else {
        response.write(whole.slice(0, 50_000));
        breakOff(response);
      }
    });
    const world = worldWith([`${server.url}/large`]);
    part = join(world.directory, 'files', '000001-1-large.part');
    const ran = await fetchFrom(world, server, '.');
    expect([ran.code, summaryOf(ran).failures]).toEqual([0, []]);
    expect(contentOf(world, '000001-1-large')).toBe(whole);
    expect(server.seen).toHaveLength(2);
    expect(server.seen[1]?.headers).toMatchObject({
      range: expect.stringMatching(/^bytes=\d+-$/) as string,
      'if-range': '"v1"',
    });
  });

  test.each([
    ['a longer length', { 'content-length': '99' }],
    ['another SHA-256', { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` }],
    ['another digest', { digest: `sha-256=${Buffer.alloc(32).toString('base64')}` }],
    ['another MD5', { 'content-md5': Buffer.alloc(16).toString('base64') }],
    ['an encoding', { 'content-encoding': 'gzip' }],
  ])('keeps no file whose server stated %s', async (_, headers) => {
    const server = await servePaths((response) => {
      response.writeHead(200, headers);
      if ('content-length' in headers) {
        response.write('short');
        setImmediate(() => response.destroy());
      } else response.end('short');
      return true;
    });
    const world = worldWith([`${server.url}/x`]);
    const ran = await fetchFrom(world, server, '.');
    expect([ran.code, summaryOf(ran).failed]).toEqual([13, 1]);
    expect(filesIn(world)).toEqual(['manifest.jsonl']);
  });

  test('accepts the digests that the content has', async () => {
    const digest = (name: string): string => createHash(name).update('short').digest('base64');
    const server = await servePaths((response) => {
      const structured = `sha-256=:${digest('sha256')}:, sha-512=:${digest('sha512')}:`;
      response.writeHead(200, {
        'repr-digest': structured,
        'content-digest': structured,
        'content-md5': digest('md5'),
      });
      response.end('short');
      return true;
    });
    expect((await fetchFrom(worldWith([`${server.url}/x`]), server, '.')).code).toBe(0);
  });

  test('never overwrites a file with other content', async () => {
    const server = await servePaths();
    const world = worldWith([`${server.url}/x`, `${server.url}/y`]);
    expect((await fetchFrom(world, server, '.')).code).toBe(0);
    writeFileSync(join(world.directory, 'files', '000001-1-x'), 'mine');
    const changed = await fetchFrom(world, server, '.');
    expect([changed.code, contentOf(world, '000001-1-x')]).toEqual([13, 'mine']);
    // Without a manifest, as after a kill: the same content is found by its hash.
    rmSync(join(world.directory, 'files', 'manifest.jsonl'));
    const again = await fetchFrom(world, server, '.');
    expect([again.code, summaryOf(again)]).toMatchObject([13, { downloaded: 1, failed: 1 }]);
    expect(summaryOf(again).failures[0]?.reason).toContain('exists with other content');
    expect([contentOf(world, '000001-1-x'), contentOf(world, '000002-1-y')]).toEqual(['mine', 'content of /y']);
  });

  test('goes on after a line of the manifest that was not written to its end, and refuses another file', async () => {
    const server = await servePaths();
    const world = worldWith([`${server.url}/x`]);
    await fetchFrom(world, server, '.');
    const manifest = join(world.directory, 'files', 'manifest.jsonl');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text + text.slice(0, 20));
    expect(summaryOf(await fetchFrom(world, server, '.')).existing).toBe(1);
    expect(readFileSync(manifest, 'utf8')).toBe(text);
    writeFileSync(manifest, 'my notes\n');
    expect((await fetchFrom(world, server, '.')).code).toBe(14);
    expect(readFileSync(manifest, 'utf8')).toBe('my notes\n');
  });

  test('gives a server that sends nothing a limited time', async () => {
    const server = await servePaths((response, { url }) => {
      if (url === '/slow') response.writeHead(200, { 'content-length': '10' }).write('x');
      return true;
    });
    const world = worldWith([`${server.url}/slow`, `${server.url}/never`]);
    const ran = await fetchFrom(world, server, '.', '--timeout', '0.05');
    expect([ran.code, summaryOf(ran).failed]).toEqual([13, 2]);
    expect(filesIn(world)).toEqual(['manifest.jsonl']);
  });
});
