import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../../src/http/trace.ts';
import { drip, serve, text, type Behaviour } from '../../support/servers/scripted-server.ts';
import { openTestStorage } from '../../support/storage/open-test-storage.ts';
import { chunksOf, listed, readAll } from '../../support/storage/storage-cases.ts';

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

async function openAt(script: readonly Behaviour[]) {
  const server = await serve(script);
  const traced: TraceEvent[] = [];
  const { storage } = openTestStorage(
    { ...SECRETS, AWS_ENDPOINT_URL_S3: `${server.url}/base/` },
    { trace: (event) => traced.push(event), retries: 0 },
  );
  return { storage, server, traced };
}

const LISTINGS: readonly (readonly [string, string | readonly string[], string | RegExp])[] = [
  ['breaks off', listing(entry('in/a')).slice(0, -30), 'unclosed tag'],
  ['is empty', '', 'must contain a root element'],
  ['is a page of another kind', '<html><body>sign in</body></html>', 'it has no ListBucketResult'],
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
  ['has a key that leaves the folder', listing(entry('in/..%2F..%2Fa')), '"s3://bucket/in/../../a" cannot be used'],
  ['has a key of megabytes', listing(entry(`other/${'a'.repeat(2_000_000)}`)), /^.{50,500}$/s],
  ['has a version that no header can carry', listing(entry('in/a', '"e\r\nx: y"')), 'the ETag of "in/a"'],
  ['has a version of any length', listing(entry('in/a', `"${'e'.repeat(2000)}"`)), 'the ETag of "in/a"'],
  ['has a broken encoding', listing(entry('in/%E0%A4%A')), 'URI malformed'],
];

describe('a listing is refused that', () => {
  test.each(LISTINGS)('%s', async (_, pages, reason) => {
    const { storage } = await openAt([pages].flat().map((page) => xml(page)));
    await expect(listed(storage.list('s3://bucket/in/'))).rejects.toThrow(reason);
  });
});

describe('a listing is whole', () => {
  const keysOf = async (...pages: readonly string[]) => {
    const { storage } = await openAt(pages.map((page) => xml(page)));
    return (await listed(storage.list('s3://bucket/in/'))).map((address) => address.slice('s3://bucket/in/'.length));
  };

  test('with keys in any order, and twice', async () => {
    const pages = [listing(entry('in/b') + entry('in/a') + entry('in/b'), '1'), listing(entry('in/0') + entry('in/a'))];
    expect(await keysOf(...pages)).toEqual(['0', 'a', 'b']);
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
  const { storage, server } = await openAt([
    xml(listing(entry('in/a%0D%0Ab%1B%5D+c'))),
    text('x', 206, { etag: '"e"', 'content-range': 'bytes 0-0/1' }),
  ]);
  for await (const object of storage.list('s3://bucket/in/')) {
    expect(object).toEqual({ address: 's3://bucket/in/a\r\nb\u001b] c', bytes: 1, version: '"e"' });
    expect((await readAll(storage.read(object))).toString()).toBe('x');
  }
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/base/bucket/?encoding-type=url&list-type=2&prefix=in%2F',
    '/base/bucket/in/a%0D%0Ab%1B%5D%20c',
  ]);
});

test.each([
  's3://bucket',
  's3://bucket/',
  's3://b/a',
  's3:///a',
  's3://bu%2Fcket/a',
  's3://bucket/a/../b',
  's3://bucket/./a',
  `s3://bucket/${'é'.repeat(513)}`,
])('%s names no object', async (address) => {
  const { storage, server } = await openAt([]);
  await expect(storage.describe(address)).rejects.toMatchObject({ exit: 2 });
  await expect(storage.write(address, chunksOf('x'))).rejects.toMatchObject({ exit: 2 });
  expect(server.seen).toHaveLength(0);
});

const OBJECT = { address: 's3://bucket/a', bytes: 10, version: '"e"' };

describe('an answer to a read is refused that', () => {
  test.each<readonly [string, Behaviour, number]>([
    ['is of another version', text('0123456789', 206, { etag: '"f"', 'content-range': 'bytes 0-9/10' }), 14],
    ['is of another range', text('0123456789', 206, { etag: '"e"', 'content-range': 'bytes 1-10/11' }), 7],
    ['is the whole object for a part', text('0123456789', 200, { etag: '"e"' }), 7],
    ['says that it changed', text('', 412), 14],
    ['says that it is missing', text('', 404), 14],
    ['leads elsewhere', text('', 307, { location: 'http://127.0.0.1:1/a' }), 7],
    ['is a refusal', xml('<Error><Code>AccessDenied</Code></Error>', 403), 3],
    ['drips', drip, 7],
  ])('%s', async (_, behaviour, exit) => {
    const { storage } = await openAt([behaviour]);
    await expect(readAll(storage.read(OBJECT))).rejects.toMatchObject({ exit });
  });

  test('has more bytes than it said: they are not used', async () => {
    const { storage } = await openAt([
      ({ response }) => {
        response.writeHead(206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
        response.end('0123456789 and more');
      },
    ]);
    expect((await readAll(storage.read(OBJECT))).toString()).toBe('0123456789');
  });

  test('goes on without an end after the range', async () => {
    const { storage } = await openAt([
      ({ response }) => {
        response.writeHead(206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
        const again = (): void => {
          if (!response.destroyed) response.write('0123456789', () => setImmediate(again));
        };
        again();
      },
    ]);
    await expect(readAll(storage.read(OBJECT))).rejects.toMatchObject({
      exit: 7,
      message: expect.stringContaining('longer than the range') as string,
    });
  });
});

test('a connection that closes after the request was sent is not reported as one that never opened', async () => {
  const { storage } = await openAt([({ response }) => void response.socket?.destroy()]);
  await expect(storage.describe('s3://bucket/a')).rejects.toMatchObject({
    exit: 7,
    message: expect.stringContaining('no readable answer came') as string,
  });
});

test('a connection is used again after a look at an object', async () => {
  const { storage, server } = await openAt([text('', 404), text('', 404)]);
  for (const key of ['a', 'b']) await storage.describe(`s3://bucket/${key}`);
  expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  expect(server.connections()).toBe(1);
});

test('an object that is damaged on the way is noticed', async () => {
  const { storage } = await openAt([
    text('', 200),
    text('', 200, { etag: '"0cc175b9c0f1b6a831c399e269772661"', 'content-length': '1' }),
  ]);
  await expect(storage.write('s3://bucket/a', chunksOf('b'))).rejects.toMatchObject({ exit: 14 });
});

describe('credentials', () => {
  test('are in no error, not in the text of one of the service, and in no trace', async () => {
    const said = Object.values(SECRETS).join(' ');
    const { storage, server, traced } = await openAt([
      xml(
        `<Error><Code>SignatureDoesNotMatch</Code><Message>${said}\u2028line</Message><StringToSign>${said}</StringToSign></Error>`,
        403,
      ),
    ]);
    const error: unknown = await storage.describe('s3://bucket/a').catch((reason: unknown) => reason);
    const shown = JSON.stringify([error, String(error), traced]);
    for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret);
    expect(error).toMatchObject({ exit: 3 });
    expect(server.seen[0]?.headers['x-amz-security-token']).toBe(SECRETS.AWS_SESSION_TOKEN);
    expect(server.seen[0]?.headers['authorization']).toContain('Credential=id-of-the-key/');
  });

  test('come from the profile of the shared files', async () => {
    const server = await serve([text('', 404)]);
    const { storage, directory } = openTestStorage({ AWS_PROFILE: 'work' });
    mkdirSync(join(directory, '.aws'));
    writeFileSync(
      join(directory, '.aws/credentials'),
      '[default]\naws_access_key_id = other\naws_secret_access_key = other\n\n[work] # mine\naws_access_key_id=mine\naws_secret_access_key = a=b#c ; a comment\n',
    );
    writeFileSync(
      join(directory, '.aws/config'),
      `[profile work]\nregion = eu-x-1\ns3 =\n  endpoint_url = http://127.0.0.1:1\nendpoint_url = ${server.url}\n`,
    );
    expect(await storage.describe('s3://bucket/a')).toBeUndefined();
    expect(server.seen[0]?.headers['authorization']).toMatch(/Credential=mine\/\d{8}\/eu-x-1\/s3\/aws4_request/);
  });

  test('are not looked for in a file that is too large to be one of settings', async () => {
    const { storage, directory } = openTestStorage({ AWS_CONFIG_FILE: 'large' });
    writeFileSync(join(directory, 'large'), '#'.repeat(1024 * 1024 + 1));
    await expect(storage.describe('s3://bucket/a')).rejects.toMatchObject({
      exit: 14,
      message: 'cannot use large: it is larger than 1 MB',
    });
  });

  const ENDPOINT = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' };
  test.each<readonly [string, Readonly<Record<string, string>>, number, string]>([
    ['there is no endpoint', SECRETS, 2, 'no endpoint for s3:// addresses is configured'],
    ['there are no credentials', ENDPOINT, 3, 'no credentials for s3:// addresses are configured'],
    ['one is missing', { ...ENDPOINT, AWS_ACCESS_KEY_ID: 'a' }, 3, 'no credentials'],
    ['one has a line feed', { ...SECRETS, ...ENDPOINT, AWS_SESSION_TOKEN: 'a\nb' }, 3, 'hold characters'],
    ['the key id has a comma', { ...SECRETS, ...ENDPOINT, AWS_ACCESS_KEY_ID: 'a,b' }, 3, 'hold characters'],
    [
      'the endpoint is plain http elsewhere',
      { ...SECRETS, AWS_ENDPOINT_URL: 'http://storage.example.com' },
      2,
      'plain http',
    ],
    ['the endpoint has user info', { ...SECRETS, AWS_ENDPOINT_URL: 'https://a:b@x.example.com' }, 2, 'user name'],
  ])('are asked for before anything is sent when %s', async (_, env, exit, message) => {
    const { storage } = openTestStorage(env);
    await expect(storage.describe('s3://bucket/a')).rejects.toMatchObject({
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
  const { storage } = openTestStorage({ ...SECRETS, AWS_ENDPOINT_URL: server.url }, { signal: interrupt.signal });
  await expect(storage.describe('s3://bucket/a')).rejects.toThrow('interrupted');
});

describe('an object that is created once', () => {
  const own = 'mine';
  const head = (content: string): Behaviour => text('', 200, { etag: '"e"', 'content-length': String(content.length) });
  const get = (content: string): Behaviour =>
    text(content, 206, {
      etag: '"e"',
      'content-range': `bytes 0-${String(content.length - 1)}/${String(content.length)}`,
    });
  const MISSING = text('', 404);

  test.each<readonly [string, readonly Behaviour[], boolean]>([
    ['is created', [MISSING, text('', 200), head(own), get(own)], true],
    ['is there already', [head('other')], false],
    ['was created by another meanwhile', [MISSING, text('', 412), head('other'), get('other')], false],
    ['was created by an attempt whose answer was lost', [MISSING, text('', 412), head(own), get(own)], true],
    ['is created without the condition', [MISSING, text('', 501), text('', 200), head(own), get(own)], true],
    ['was replaced where the condition is ignored', [MISSING, text('', 200), head('else'), get('else')], false],
  ])('%s', async (_, script, created) => {
    const { storage, server } = await openAt(script);
    expect(await storage.create('s3://bucket/owner', Buffer.from(own))).toBe(created);
    const puts = server.seen.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ headers }) => headers['if-none-match'])).toEqual(['*', undefined].slice(0, puts.length));
  });
});
