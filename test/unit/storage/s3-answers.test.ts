import { describe, expect, test } from 'vitest';
import { localFile } from '../../../src/core/failure.ts';
import type { VolumeFiles } from '../../../src/core/file-ports.ts';
import { traceLine } from '../../../src/http/trace.ts';
import { drip, serve, text, type Behaviour } from '../../support/servers/scripted-server.ts';
import { keysIn, openTestVolume } from '../../support/storage/open-test-volume.ts';
import { chunksOf, readAll } from '../../support/storage/contents.ts';

const SECRETS = {
  AWS_ACCESS_KEY_ID: 'id-of-the-key',
  AWS_SECRET_ACCESS_KEY: 'the-secret-key/+',
  AWS_SESSION_TOKEN: 'the-session-token',
} as const;

const NAMES = 'xmlns="urn:x"';
const entry = (key: string, etag = '"e"'): string =>
  `<Contents><Key>${key}</Key><Size>1</Size><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Contents>`;
const listing = (content: string, next?: string): string =>
  `<?xml version="1.0"?><ListBucketResult ${NAMES}><EncodingType>url</EncodingType>${content}<IsTruncated>${String(next !== undefined)}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}</ListBucketResult>`;
const xml = (body: string, status = 200): Behaviour => text(body, status, { 'content-type': 'application/xml' });

async function openAt(script: readonly Behaviour[], retries = 0) {
  const server = await serve(script);
  const traced: string[] = [];
  const volume = await openTestVolume(`${server.url}/base/`, 'bucket', SECRETS, {
    trace: (event) => traced.push(traceLine(event)),
    retries,
  });
  return { volume, server, traced };
}

const LISTINGS: readonly (readonly [string, string | readonly string[], string | RegExp])[] = [
  ['breaks off', listing(entry('in/a')).slice(0, -30), 'unclosed tag'],
  ['is empty', '', 'must contain a root element'],
  ['is a web page', '<html><body>sign in</body></html>', 'answers with a web page'],
  [
    'declares entities that grow',
    `<!DOCTYPE a [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;">]>${listing(entry('in/&b;')).slice(21)}`,
    'undefined entity',
  ],
  [
    'reads a file by an entity',
    `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>${listing(entry('in/&a;')).slice(21)}`,
    'undefined entity',
  ],
  ['is nested without end', `<ListBucketResult>${'<a>'.repeat(100_000)}`, 'is unreadable'],
  ['has an object of another folder', listing(entry('other/a')), '"other/a" was not asked for'],
  ['has the same page again and again', listing(entry('in/a'), 'next'), 'its pages go round in circles'],
  ['has no token for the next page', listing(entry('in/a'), ''), 'it has no NextContinuationToken'],
  ['has a size that is no number', listing(entry('in/a').replace('>1<', '>-1<')), 'the size of "in/a" is not a number'],
  ['has an object without a version', listing(entry('in/a', '')), 'it has no ETag'],
  ['has a key of megabytes', listing(entry(`other/${'a'.repeat(2_000_000)}`)), /^.{50,500}$/s],
  ['has a version that no header can carry', listing(entry('in/a', '"e\r\nx: y"')), 'the ETag of "in/a"'],
  ['has a broken encoding', listing(entry('in/%E0%A4%A')), 'URI malformed'],
];

describe('a listing is refused that', () => {
  test.each(LISTINGS)('%s', async (_, pages, reason) => {
    const { volume } = await openAt([pages].flat().map((page) => xml(page)));
    await expect(keysIn(volume, 'in/')).rejects.toThrow(reason);
  });
});

describe('a listing is whole', () => {
  const keysOf = async (...pages: readonly string[]) => {
    const { volume } = await openAt(pages.map((page) => xml(page)));
    return (await keysIn(volume, 'in/')).map((key) => key.slice('in/'.length));
  };

  test('with keys in any order, and twice', async () => {
    const pages = [listing(entry('in/b') + entry('in/a') + entry('in/b'), '1'), listing(entry('in/0') + entry('in/a'))];
    expect(await keysOf(...pages)).toEqual(['0', 'a', 'b']);
  });

  test('with a long page, after white space', async () => {
    const keys = Array.from({ length: 1000 }, (_, at) => `${'é'.repeat(200)}${String(1000 + at)}`);
    expect(await keysOf(`\n  ${listing(keys.map((key) => entry(`in/${key}`)).join(''))}`)).toEqual(keys);
  });

  test('with a page without keys in between', async () => {
    expect(await keysOf(listing(entry('in/a'), '1'), listing('', '2'), listing(entry('in/b')))).toEqual(['a', 'b']);
  });

  test('when it began again, because a page named a page before it', async () => {
    const first = [listing(entry('in/a'), '1'), listing(entry('in/b'), '1')];
    expect(await keysOf(...first, listing(entry('in/a'), '1'), listing(entry('in/c')))).toEqual(['a', 'c']);
  });
});

test('a key with control characters is read by its exact name', async () => {
  const { volume, server } = await openAt([
    xml(listing(entry('in/a%0D%0Ab%1B%5D+c'))),
    text('x', 206, { etag: '"e"', 'content-range': 'bytes 0-0/1' }),
  ]);
  const [key = ''] = await keysIn(volume, 'in/');
  expect(key).toBe('in/a\r\nb\u001b] c');
  const file = { key, bytes: 1, version: '"e"', modifiedAt: undefined };
  expect((await readAll(volume.read(file))).toString()).toBe('x');
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/base/bucket/?delimiter=%2F&encoding-type=url&list-type=2&prefix=in%2F',
    '/base/bucket/in/a%0D%0Ab%1B%5D%20c',
  ]);
});

test.each(['', 'a/../b', './a', 'é'.repeat(513)])('the key %j is not sent', async (key) => {
  const { volume, server } = await openAt([]);
  await expect(volume.find(key)).rejects.toMatchObject({ exit: 2 });
  await expect(volume.writeStream(key, chunksOf('x'))).rejects.toMatchObject({ exit: 2 });
  expect(server.seen).toHaveLength(0);
});

const FILE = { key: 'a', bytes: 10, version: '"e"', modifiedAt: undefined };

const iterated = (volume: VolumeFiles): Promise<Buffer> => readAll(volume.read(FILE));

/** As a download reads: no chunk is left to iterate. */
async function taken(volume: VolumeFiles): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const left = volume.read(FILE, 0, FILE.bytes, (chunk) => chunks.push(Uint8Array.from(chunk)));
  expect(await readAll(left)).toHaveLength(0);
  return Buffer.concat(chunks);
}

describe.each([
  ['iterated', iterated],
  ['taken', taken],
])('an answer that is %s is refused that', (_way, read) => {
  test.each<readonly [string, Behaviour, number]>([
    ['is of another version', text('0123456789', 206, { etag: '"f"', 'content-range': 'bytes 0-9/10' }), 14],
    ['is of another range', text('0123456789', 206, { etag: '"e"', 'content-range': 'bytes 1-10/11' }), 7],
    ['is the whole object for a part', text('0123456789', 200, { etag: '"e"' }), 7],
    ['says that it is missing', text('', 404), 14],
    ['leads elsewhere', text('', 307, { location: 'http://127.0.0.1:1/a' }), 7],
    ['is a refusal', xml('<Error><Code>AccessDenied</Code></Error>', 403), 3],
    ['says that the key has expired', xml('<Error><Code>ExpiredToken</Code></Error>', 400), 3],
    ['drips', drip, 7],
  ])('%s', async (_, behaviour, exit) => {
    const { volume } = await openAt([behaviour]);
    await expect(read(volume)).rejects.toMatchObject({ exit });
  });

  test('has more bytes than it said: they are not used', async () => {
    const { volume } = await openAt([
      ({ response }) => {
        response.writeHead(206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
        response.end('0123456789 and more');
      },
    ]);
    expect((await read(volume)).toString()).toBe('0123456789');
  });

  test('goes on without an end after the range', async () => {
    const { volume } = await openAt([
      ({ response }) => {
        response.writeHead(206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
        const again = (): void => {
          if (!response.destroyed) response.write('0123456789', () => setImmediate(again));
        };
        again();
      },
    ]);
    await expect(read(volume)).rejects.toMatchObject({
      exit: 7,
      message: expect.stringContaining('longer than the range') as string,
    });
  });
});

const part =
  (body: string, from: number): Behaviour =>
  ({ response, socket }) => {
    const headers = { etag: '"e"', 'content-range': `bytes ${String(from)}-9/10`, 'content-length': 10 - from };
    response.writeHead(206, headers).write(body, () => setTimeout(() => socket.destroy(), 50));
  };

test('what was taken before an answer broke off is kept, and the rest is asked for', async () => {
  const { volume, server } = await openAt([part('0123', 0), part('456', 4), part('789', 7)], 3);
  expect((await taken(volume)).toString()).toBe('0123456789');
  expect(server.seen.map(({ headers }) => headers.range)).toEqual(['bytes=0-9', 'bytes=4-9', 'bytes=7-9']);
});

test.each([
  ['iterated', iterated],
  ['taken', taken],
])('an answer without bytes that is %s is no progress', async (_way, read) => {
  const empty = text('', 206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
  const { volume, server } = await openAt(
    Array.from({ length: 20 }, () => empty),
    3,
  );
  await expect(read(volume)).rejects.toMatchObject({ exit: 7 });
  expect(server.seen).toHaveLength(9);
});

test('a failure of what takes chunks ends the read, and nothing is asked for again', async () => {
  const { volume, server } = await openAt(
    [text('0123456789', 206, { etag: '"e"', 'content-range': 'bytes 0-9/10' })],
    3,
  );
  const full = (): never => {
    throw localFile('the disk is full');
  };
  await expect(readAll(volume.read(FILE, 0, 10, full))).rejects.toMatchObject({
    exit: 14,
    message: 'the disk is full',
  });
  expect(server.seen).toHaveLength(1);
});

test('a connection that closes after the request was sent is not reported as one that never opened', async () => {
  const { volume } = await openAt([({ response }) => void response.socket?.destroy()]);
  await expect(volume.find('a')).rejects.toMatchObject({
    exit: 7,
    message: expect.stringContaining('no readable answer came') as string,
  });
});

test('a connection is used again after a look at an object', async () => {
  const { volume, server } = await openAt([text('', 404), text('', 404)]);
  for (const key of ['a', 'b']) await volume.find(key);
  expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  expect(server.connections()).toBe(1);
});

test('an object that is damaged on the way is noticed', async () => {
  const { volume } = await openAt([
    text('', 200),
    text('', 200, { etag: '"0cc175b9c0f1b6a831c399e269772661"', 'content-length': '1' }),
  ]);
  const written = await volume.writeStream('a', chunksOf('b'));
  expect((await volume.confirm([written])).get('a')).toMatchObject({ exit: 14 });
});

describe('credentials', () => {
  test('are in no error, not in the text of one of the service, and in no trace', async () => {
    const said = Object.values(SECRETS).join(' ');
    const { volume, server, traced } = await openAt([
      xml(
        `<Error><Code>SignatureDoesNotMatch</Code><Message>${said}\u2028line</Message><StringToSign>${said}</StringToSign></Error>`,
        403,
      ),
    ]);
    const error: unknown = await volume.find('a').catch((reason: unknown) => reason);
    const shown = JSON.stringify([error, String(error), traced]);
    for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret);
    expect(error).toMatchObject({ exit: 3 });
    expect(server.seen[0]?.headers['x-amz-security-token']).toBe(SECRETS.AWS_SESSION_TOKEN);
    expect(server.seen[0]?.headers['authorization']).toContain('Credential=id-of-the-key/');
  });

  test.each<readonly [string, Readonly<Record<string, string>>, number, string]>([
    ['there are none', {}, 3, 'no storage key'],
    ['one is missing', { AWS_ACCESS_KEY_ID: 'a' }, 3, 'no storage key'],
    ['one has a line feed', { ...SECRETS, AWS_SESSION_TOKEN: 'a\nb' }, 3, 'invalid characters'],
    ['the key id has a comma', { ...SECRETS, AWS_ACCESS_KEY_ID: 'a,b' }, 3, 'invalid characters'],
  ])('are asked for before anything is sent when %s', async (_, env, exit, message) => {
    await expect(openTestVolume('http://127.0.0.1:9000', 'bucket', env)).rejects.toMatchObject({
      exit,
      message: expect.stringContaining(message) as unknown,
    });
  });
});

test('an interrupt ends a request, and its reason is the error', async () => {
  const interrupt = new AbortController();
  const server = await serve([
    () => {
      interrupt.abort(new Error('interrupted'));
    },
  ]);
  const volume = await openTestVolume(server.url, 'bucket', SECRETS, { signal: interrupt.signal });
  await expect(volume.find('a')).rejects.toThrow('interrupted');
});
