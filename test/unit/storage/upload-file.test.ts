import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collectBytes } from '../../../src/core/files.ts';
import type { FileSource, VolumeFiles } from '../../../src/core/file-ports.ts';
import { transportTo } from '../../../src/host/connection/local-transport.ts';
import type { Transport, WireAnswer, WireRequest } from '../../../src/http/transport.ts';
import { LOCAL_STORAGE_KEY } from '../../../src/local/objects/request.ts';
import { S3Client } from '../../../src/storage/client.ts';
import { createVolumeFiles } from '../../../src/storage/volume-files.ts';
import { textsOf, volumeFixture } from '../../support/local/object-requests.ts';

const MIB = 1_048_576;
const PART = 16 * MIB;

/** The files of a volume of the local service; `before` and `after` may fail or change each exchange. */
function volume(
  before: (request: WireRequest) => void | Promise<void> = () => undefined,
  after: (answer: WireAnswer, request: WireRequest) => WireAnswer = (answer) => answer,
) {
  const { service, clock, object } = volumeFixture();
  const sent: string[] = [];
  const answered: string[] = [];
  const toService = transportTo(service);
  const transport: Transport = async (request) => {
    const { searchParams, pathname, search } = new URL(request.url);
    const key = pathname.split('/').slice(2).join('/');
    const line = `${request.method} ${searchParams.get('partNumber') ?? (key === '' ? search : key)}`;
    sent.push(line);
    await before(request);
    const answer = after(await toService(request), request);
    answered.push(line);
    return answer;
  };
  const client = new S3Client({
    transport,
    connection: {
      endpoint: { origin: 'http://localhost', prefix: '' },
      region: 'EU-NORTH-1',
      bucket: 'vol-datasets',
      credentials: LOCAL_STORAGE_KEY,
      from: { address: 'the test', key: 'the test' },
    },
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    retries: 2,
    timeoutMs: 30_000,
    userAgent: 'test',
  });
  return { files: createVolumeFiles(client), sent, answered, object };
}

/** A file of so many MiB, each with its own content. */
const source = (mebibytes: number, seed = 'a'): FileSource & { readonly content: Buffer } => {
  const content = Buffer.concat(
    Array.from({ length: mebibytes }, (_, at) =>
      Buffer.alloc(
        MIB,
        createHash('sha256')
          .update(`${seed}${String(at)}`)
          .digest(),
      ),
    ),
  );
  return {
    content,
    bytes: content.byteLength,
    read: async function* (start, end) {
      yield await Promise.resolve(content.subarray(start, end));
    },
  };
};

const contentOf = async (files: VolumeFiles, key: string): Promise<Buffer | undefined> => {
  const found = await files.find(key);
  return found === undefined ? undefined : collectBytes(files.read(found), found.bytes);
};

const isPart = ({ method, url }: WireRequest): boolean => method === 'PUT' && url.includes('partNumber=');

describe('files that were uploaded', () => {
  it.each([
    [20, ['HEAD', 20]],
    [25, ['GET', 1]],
  ] as const)('are confirmed, %i of them, by %s requests', async (count, [method, requests]) => {
    const { files, sent } = volume();
    const written = [];
    for (let each = 0; each < count; each += 1) written.push(await files.write(`d/${String(each)}/f`, source(0)));
    sent.length = 0;
    expect(await files.confirm(written)).toEqual(new Map());
    expect([sent.length, sent.every((line) => line.startsWith(method))]).toEqual([requests, true]);
  });

  it('are looked at where a listing does not show them or goes round in circles', async () => {
    const { files, sent, object } = volume();
    const written = [];
    for (let each = 0; each < 25; each += 1) written.push(await files.write(`f${String(each)}`, source(0)));
    await object('DELETE', '/vol-datasets/f7');
    const writtenAgain = { ...written[7], again: () => object('PUT', '/vol-datasets/f7').then(() => undefined) };
    sent.length = 0;
    expect(await files.confirm(written.with(7, writtenAgain as (typeof written)[number]))).toEqual(new Map());
    expect(new Set(sent.slice(1))).toEqual(new Set(['HEAD f7']));
  });

  it('are sent again where the ETag of the answer is not theirs', async () => {
    let isFirst = true;
    const { files, sent } = volume(undefined, (answer, { method }) => {
      if (method !== 'PUT' || !isFirst) return answer;
      isFirst = false;
      return { ...answer, headers: { ...answer.headers, etag: `"${'0'.repeat(32)}"` } };
    });
    await files.write('f', source(1));
    expect(sent).toEqual(['PUT f', 'HEAD f']);
    expect((await contentOf(files, 'f'))?.equals(source(1).content)).toBe(true);
  });

  it('are read where a service answers 200 to a range and says which bytes these are', async () => {
    let isSaid = true;
    const { files } = volume(undefined, (answer) => {
      if (answer.status !== 206) return answer;
      const { 'content-range': range = '', ...headers } = answer.headers;
      return { ...answer, status: 200, headers: isSaid ? { ...headers, 'content-range': range } : headers };
    });
    const file = source(2);
    await files.write('f', file);
    expect((await contentOf(files, 'f'))?.equals(file.content)).toBe(true);
    isSaid = false;
    await expect(contentOf(files, 'f')).rejects.toThrow('not the range that was asked for');
  });
});

describe('a file of more than 64 MiB', () => {
  it('goes in parts, and is there as it is here', async () => {
    const { files, sent, object } = volume();
    const file = source(65);
    let bytes = 0;
    const written = await files.write('big', file, (count) => (bytes += count));
    const parts = sent.filter((line) => line.startsWith('PUT')).sort();
    expect([bytes, parts]).toEqual([65 * MIB, ['PUT 1', 'PUT 2', 'PUT 3', 'PUT 4', 'PUT 5']]);
    expect(await files.confirm([written])).toEqual(new Map());
    expect((await contentOf(files, 'big'))?.equals(file.content)).toBe(true);
    expect(textsOf((await object('GET', '/vol-datasets', { query: { uploads: '' } })).text, 'Key')).toEqual([]);
  });

  it('whose upload was killed sends only what did not arrive, or differs now', async () => {
    const at = 4;
    let isKilled = false;
    let isFirst = true;
    const { files, sent, answered } = volume((request) => {
      isKilled ||= isFirst && isPart(request) && request.url.includes(`partNumber=${String(at)}&`);
      if (isKilled) throw new Error('killed');
    });
    const file = source(65);
    await expect(files.write('big', file)).rejects.toThrow('killed');
    const arrived = answered.filter((line) => /^PUT \d/.test(line));
    [isKilled, isFirst] = [false, false];
    sent.length = 0;
    const content = Buffer.from(file.content);
    content[2 * PART] = 1;
    const changed: FileSource = {
      bytes: file.bytes,
      read: async function* (start, end) {
        yield await Promise.resolve(content.subarray(start, end));
      },
    };
    await files.write('big', changed);
    const again = sent.filter((line) => line.startsWith('PUT'));
    expect(again.filter((line) => arrived.includes(line) && line !== 'PUT 3')).toEqual([]);
    expect(again).toEqual(expect.arrayContaining([`PUT ${String(at)}`, 'PUT 3']));
    expect((await contentOf(files, 'big'))?.equals(content)).toBe(true);
  });

  it('fails as its source does, and at once', async () => {
    const { files } = volume();
    const read: FileSource['read'] = async function* () {
      yield await Promise.reject(new Error('it cannot be read'));
    };
    await expect(files.write('big', { bytes: 65 * MIB, read })).rejects.toThrow('it cannot be read');
    await expect(files.write('small', { bytes: MIB, read })).rejects.toThrow('it cannot be read');
    expect(await files.find('big')).toBeUndefined();
  });
});
