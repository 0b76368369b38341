import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { errorOf, md5, textsOf, volumeFixture } from '../../../support/local/object-requests.ts';

const HOUR = 3_600_000;

describe('a signature', () => {
  it.each([
    ['of another secret', { secret: 'other' }, [403, 'SignatureDoesNotMatch']],
    ['for another data center', { region: 'US-EAST-1' }, [400, 'AuthorizationHeaderMalformed']],
    ['of a clock that is two hours late', { date: -2 * HOUR }, [403, 'RequestTimeTooSkewed']],
    ['of a clock that is two hours ahead', { date: 2 * HOUR }, [403, 'RequestTimeTooSkewed']],
  ] as const)('%s is refused', async (_, given, error) => {
    const { object, clock } = volumeFixture();
    const date = clock.now() + ('date' in given ? given.date : 0);
    expect(errorOf(await object('GET', '/vol-datasets', { ...given, date }))).toEqual(error);
  });

  it('of a clock that is 59 minutes off, and of a region in lower case, is accepted', async () => {
    const { object, clock } = volumeFixture();
    const given = { date: clock.now() - 59 * 60_000, region: 'eu-north-1' };
    expect((await object('GET', '/vol-datasets', given)).status).toBe(200);
  });

  it('counts for the content that was signed only', async () => {
    const { object } = volumeFixture();
    const headers = { 'content-md5': Buffer.from(md5('other'), 'hex').toString('base64') };
    expect(errorOf(await object('PUT', '/vol-datasets/a', { body: 'content', headers }))).toEqual([400, 'BadDigest']);
    expect((await object('HEAD', '/vol-datasets/a')).status).toBe(404);
  });
});

describe('a file', () => {
  it('that is written is a file of the folder of the volume, and is read back whole, in ranges and by HEAD', async () => {
    const { object, folder } = volumeFixture();
    const written = await object('PUT', '/vol-datasets/runs/1 ü#/out.txt', { body: 'content' });
    expect([written.status, written.headers.get('etag')]).toEqual([200, `"${md5('content')}"`]);
    expect(readFileSync(path.join(folder, 'runs/1 ü#/out.txt'), 'utf8')).toBe('content');
    const range = (value: string) => object('GET', '/vol-datasets/runs/1 ü#/out.txt', { headers: { range: value } });
    const head = await object('HEAD', '/vol-datasets/runs/1 ü#/out.txt');
    expect([head.headers.get('content-length'), head.headers.get('etag'), head.text]).toEqual([
      '7',
      `"${md5('content')}"`,
      '',
    ]);
    const part = await range('bytes=3-4');
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'te', 'bytes 3-4/7']);
    expect((await range('bytes=-3')).text).toBe('ent');
    expect((await range('bytes=5-')).text).toBe('nt');
    expect(errorOf(await range('bytes=7-'))).toEqual([416, 'InvalidRange']);
  });

  it.each([
    ['if-match', 'content', 200],
    ['if-match', 'other', 412],
  ])('is read with %s of "%s": %i', async (name, content, status) => {
    const { object } = volumeFixture();
    await object('PUT', '/vol-datasets/a', { body: 'content' });
    const headers = { [name]: `"${md5(content)}"` };
    expect((await object('GET', '/vol-datasets/a', { headers })).status).toBe(status);
  });

  it('that a pod wrote is there too, with the MD5 of what it has now', async () => {
    const { object, folder } = volumeFixture();
    await object('PUT', '/vol-datasets/a', { body: 'one' });
    writeFileSync(path.join(folder, 'a'), 'two!');
    const { text, headers } = await object('GET', '/vol-datasets/a');
    expect([text, headers.get('etag')]).toEqual(['two!', `"${md5('two!')}"`]);
  });

  it('is copied, and removed once or twice', async () => {
    const { object } = volumeFixture();
    await object('PUT', '/vol-datasets/a b', { body: 'content' });
    const copied = await object('PUT', '/vol-datasets/c/d', {
      headers: { 'x-amz-copy-source': '/vol-datasets/a%20b' },
    });
    expect(textsOf(copied.text, 'ETag')).toEqual([`&#34;${md5('content')}&#34;`]);
    expect((await object('DELETE', '/vol-datasets/a b')).status).toBe(204);
    expect((await object('DELETE', '/vol-datasets/a b')).status).toBe(204);
    expect(errorOf(await object('GET', '/vol-datasets/a b'))).toEqual([404, 'NoSuchKey']);
    expect((await object('GET', '/vol-datasets/c/d')).text).toBe('content');
  });

  it('takes no more space than the volume has, and gives it back', async () => {
    const { object, send, folder } = volumeFixture();
    const { body } = await send('POST', '/v2/network-volumes', { name: 'small', size: 10, dataCenter: 'EU-NORTH-1' });
    const id = String(body['id']);
    const small = path.join(path.dirname(folder), id);
    mkdirSync(small, { recursive: true });
    // A file with a hole: its size counts.
    writeFileSync(path.join(small, 'large'), '');
    truncateSync(path.join(small, 'large'), 9_999_999_990);
    const put = (name: string, content: string) => object('PUT', `/${id}/${name}`, { body: content });
    expect((await put('a', '12345')).status).toBe(200);
    expect(errorOf(await put('b', '123456'))).toEqual([507, 'InsufficientStorage']);
    expect((await put('a', '12')).status).toBe(200);
    expect((await put('b', '12345678')).status).toBe(200);
    expect(errorOf(await put('c', '1'))).toEqual([507, 'InsufficientStorage']);
    await object('DELETE', `/${id}/large`);
    expect((await put('c', '1')).status).toBe(200);
  });

  it.each([
    ['a part that is ..', 'a/%2E%2E/b'],
    ['an empty part', 'a//b'],
    ['NUL', 'a\0b'],
    ['the hidden folder of uploads', '.s3compat_uploads/x'],
    ['a name of 256 bytes', 'x'.repeat(256)],
  ])('with %s in its key is refused', async (_, key) => {
    const { object } = volumeFixture();
    expect(errorOf(await object('PUT', `/vol-datasets/${decodeURIComponent(key)}`, { body: 'x' }))[0]).not.toBe(200);
  });

  it('is not read through a link that leaves the volume', async () => {
    const { object, folder } = volumeFixture();
    await object('PUT', '/vol-datasets/a', { body: 'x' });
    symlinkSync('/etc', path.join(folder, 'link'));
    symlinkSync('/etc/hostname', path.join(folder, 'name'));
    expect((await object('GET', '/vol-datasets/name')).status).toBe(404);
    expect((await object('GET', '/vol-datasets/link/hostname')).status).toBe(404);
    expect((await object('PUT', '/vol-datasets/link/new', { body: 'x' })).status).toBe(409);
    expect(textsOf((await object('GET', '/vol-datasets')).text, 'Key')).toEqual(['a']);
  });
});

describe('a listing', () => {
  const FILES = ['a-b', 'a/b', 'a/c/d', 'b/é', 'z'];

  async function filled() {
    const all = volumeFixture();
    for (const key of FILES) await all.object('PUT', `/vol-datasets/${key}`, { body: key });
    return all;
  }

  it('has all keys in the order of their bytes, and empty folders with a slash', async () => {
    const { object, folder } = await filled();
    mkdirSync(path.join(folder, 'empty/below'), { recursive: true });
    const { text } = await object('GET', '/vol-datasets', { query: { 'list-type': '2' } });
    expect(textsOf(text, 'Key')).toEqual(['a-b', 'a/b', 'a/c/d', 'b/é', 'empty/below/', 'z']);
    expect(textsOf(text, 'Size')).toEqual(['3', '3', '5', '4', '0', '1']);
  });

  it.each([
    ['below a prefix', { prefix: 'a/' }, ['a/b', 'a/c/d'], []],
    ['of names that begin with it', { prefix: 'a' }, ['a-b', 'a/b', 'a/c/d'], []],
    ['of one folder', { prefix: 'a/', delimiter: '/' }, ['a/b'], ['a/c/']],
    ['of the top', { delimiter: '/' }, ['a-b', 'z'], ['a/', 'b/']],
    ['behind a key', { 'start-after': 'a/b' }, ['a/c/d', 'b/é', 'z'], []],
    ['of a prefix that leaves the volume', { prefix: '../' }, [], []],
    ['encoded', { prefix: 'b/', 'encoding-type': 'url' }, ['b/%C3%A9'], []],
  ])('%s', async (_, query, keys, prefixes) => {
    const { object } = await filled();
    const { text } = await object('GET', '/vol-datasets', { query: { 'list-type': '2', ...query } });
    expect([textsOf(text, 'Key'), textsOf(text, 'Prefix').slice(1)]).toEqual([keys, prefixes]);
  });

  it.each(['', '/'])('in pages of every size has each key once (delimiter "%s")', async (delimiter) => {
    const { object } = await filled();
    const whole = await object('GET', '/vol-datasets', { query: { 'list-type': '2', delimiter } });
    const entries = (text: string) => [...textsOf(text, 'Key'), ...textsOf(text, 'Prefix').slice(1)].sort();
    for (const size of [1, 2, 3, 5]) {
      const found: string[] = [];
      let token: string | undefined;
      do {
        const query = { 'list-type': '2', delimiter, 'max-keys': String(size) };
        const { text } = await object('GET', '/vol-datasets', {
          query: token === undefined ? query : { ...query, 'continuation-token': token },
        });
        found.push(...entries(text));
        [token] = textsOf(text, 'NextContinuationToken');
      } while (token !== undefined);
      expect(found.sort()).toEqual(entries(whole.text));
    }
  });

  it('names the volumes of a data center as buckets', async () => {
    const { object } = await filled();
    expect(textsOf((await object('GET', '/')).text, 'Name')).toEqual(['vol-datasets']);
    expect(errorOf(await object('GET', '/vol-none'))).toEqual([404, 'NoSuchBucket']);
  });
});

test.each([
  ['POST', '/vol-datasets', { delete: '' }],
  ['PUT', '/vol-new', {}],
  ['DELETE', '/vol-datasets', {}],
  ['GET', '/vol-datasets/a', { acl: '' }],
  ['GET', '/vol-datasets', { versions: '' }],
])('%s %s %o is an operation that the service does not have', async (method, target, query) => {
  const { object } = volumeFixture();
  const { status } = await object(method, target, { query });
  expect([404, 501]).toContain(status);
});

test('the files of a volume go with it, and with a reset', async () => {
  const { object, send, folder } = volumeFixture();
  await object('PUT', '/vol-datasets/a', { body: 'x' });
  const others = [path.join(folder, '../../notes'), path.join(folder, '../vol-of-mine.txt')];
  for (const other of others) writeFileSync(other, 'of the user');
  await send('DELETE', '/v2/network-volumes/vol-datasets');
  expect(existsSync(folder)).toBe(false);
  expect(errorOf(await object('GET', '/vol-datasets/a'))).toEqual([404, 'NoSuchBucket']);
  for (const other of others) expect(existsSync(other)).toBe(true);
});
