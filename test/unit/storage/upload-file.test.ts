import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FileSource, VolumeFiles } from '../../../src/core/file-ports.ts';
import type { Transport, WireAnswer, WireRequest } from '../../../src/http/transport.ts';
import { transportTo } from '../../../src/host/connection/local-transport.ts';
import { LOCAL_STORAGE_KEY } from '../../../src/local/objects/signature.ts';
import { createVolumeFiles } from '../../../src/storage/volume-files.ts';
import { createS3Client } from '../../../src/storage/s3/s3-client.ts';
import { collectBytes } from '../../../src/core/files.ts';
import { md5, textsOf, volumeFixture } from '../../support/local/object-requests.ts';

const MIB = 1_048_576;

/** The files of a volume of the local service, in parts of 1 MiB; `before` may fail or change each request. */
function volume(
  before: (request: WireRequest) => void | Promise<void> = () => undefined,
  after: (answer: WireAnswer, request: WireRequest) => WireAnswer = (answer) => answer,
) {
  const { service, clock, object, folder } = volumeFixture();
  const sent: string[] = [];
  const answered: string[] = [];
  const toService = transportTo(service);
  const transport: Transport = async (request) => {
    const { searchParams, pathname } = new URL(request.url);
    const line = `${request.method} ${searchParams.get('partNumber') ?? pathname.split('/').slice(2).join('/')}`;
    sent.push(line);
    await before(request);
    const answer = after(await toService(request), request);
    answered.push(line);
    return answer;
  };
  const client = createS3Client({
    transport,
    connection: {
      endpoint: { origin: 'http://localhost', prefix: '', secure: false, loopback: true },
      region: 'EU-NORTH-1',
      credentials: LOCAL_STORAGE_KEY,
    },
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    retries: 2,
    timeoutMs: 30_000,
    userAgent: 'test',
  });
  return {
    files: createVolumeFiles(
      client,
      'vol-datasets',
      { openUnnamed: () => Promise.reject(new Error('nothing is listed')) },
      MIB,
    ),
    sent,
    answered,
    object,
    folder,
  };
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
    check: () => Promise.resolve(),
  };
};

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

const contentOf = async (files: VolumeFiles, key: string): Promise<Buffer | undefined> => {
  const found = await files.find(key);
  return found === undefined ? undefined : collectBytes(files.read(found), found.bytes);
};

const isPart = ({ method, url }: WireRequest): boolean => method === 'PUT' && url.includes('partNumber=');

describe('a large file', () => {
  it('goes in parts, and is there as it is here', async () => {
    const { files, sent } = volume();
    const file = source(5);
    let bytes = 0;
    await files.write('big', file, (count) => (bytes += count));
    expect([bytes, sent.filter((line) => line.startsWith('PUT')).sort()]).toEqual([
      5 * MIB,
      ['PUT 1', 'PUT 2', 'PUT 3', 'PUT 4', 'PUT 5'],
    ]);
    expect((await contentOf(files, 'big'))?.equals(file.content)).toBe(true);
  });

  it.each([
    ['the same content', 'a', undefined],
    ['another one', 'b', 'is not what was written'],
  ])(
    'whose ETag is the MD5 of all of it, as some services give it, is done where that is of %s',
    async (_, seed, says) => {
      const file = source(3);
      const etag = `"${md5(source(3, seed).content)}"`;
      const { files } = volume(undefined, (answer, { method }) =>
        method === 'HEAD' && answer.status === 200 ? { ...answer, headers: { ...answer.headers, etag } } : answer,
      );
      const writing = files.write('big', file);
      if (says === undefined) expect((await writing).version).toBe(etag);
      else await expect(writing).rejects.toThrow(says);
    },
  );

  it('is read from a service that answers 200 to a range, where it says which bytes these are', async () => {
    const file = source(2);
    let isSaid = true;
    const { files } = volume(undefined, (answer) => {
      if (answer.status !== 206) return answer;
      const { 'content-range': range = '', ...headers } = answer.headers;
      return { ...answer, status: 200, headers: isSaid ? { ...headers, 'content-range': range } : headers };
    });
    await files.write('big', file);
    expect((await contentOf(files, 'big'))?.equals(file.content)).toBe(true);
    isSaid = false;
    await expect(contentOf(files, 'big')).rejects.toThrow('not the range that was asked for');
  });

  it('has a signed MD5 of each part, and no other digest is computed', async () => {
    const headers: Readonly<Record<string, string>>[] = [];
    const { files } = volume((request) => {
      if (isPart(request)) headers.push(request.headers);
    });
    const file = source(2);
    const asked: string[] = [];
    const digests: FileSource['digests'] = (start, end, names) => {
      asked.push(...names);
      return Promise.resolve([createHash('md5').update(file.content.subarray(start, end)).digest()]);
    };
    await files.write('big', { ...file, digests });
    expect(asked).toEqual(['md5', 'md5']);
    for (const each of headers) {
      expect(each['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD');
      expect(each['authorization']).toContain('content-md5;');
    }
    expect((await contentOf(files, 'big'))?.equals(file.content)).toBe(true);
  });

  it.each([1, 2, 4, 5])(
    'whose upload was killed at part %i goes on, and sends no part twice that arrived',
    async (at) => {
      let isKilled = false;
      let isFirst = true;
      const { files, sent, answered } = volume((request) => {
        isKilled ||= isFirst && isPart(request) && request.url.includes(`partNumber=${String(at)}&`);
        if (isKilled) throw new Error('killed');
      });
      const file = source(5);
      await expect(files.write('big', file)).rejects.toThrow('killed');
      const arrived = answered.filter((line) => /^PUT \d/.test(line));
      [isKilled, isFirst] = [false, false];
      sent.length = 0;
      await files.write('big', file);
      const again = sent.filter((line) => line.startsWith('PUT'));
      expect(again.filter((line) => arrived.includes(line))).toEqual([]);
      expect(again).toContain(`PUT ${String(at)}`);
      expect(sent).not.toContain('POST big?uploads');
      expect((await contentOf(files, 'big'))?.equals(file.content)).toBe(true);
    },
  );

  it('whose content is another one since its upload was killed is sent anew where it differs', async () => {
    let isKilled = false;
    const { files, sent } = volume((request) => {
      if (isKilled || (isPart(request) && request.url.includes('partNumber=5&') && sent.length < 20)) {
        isKilled = true;
        throw new Error('killed');
      }
    });
    const old = source(5, 'old');
    await expect(files.write('big', old)).rejects.toThrow('killed');
    isKilled = false;
    sent.push(...Array.from({ length: 20 }, () => 'later'));
    const changed = source(5, 'new');
    old.content.copy(changed.content, 0, 0, 2 * MIB);
    await files.write('big', changed);
    expect((await contentOf(files, 'big'))?.equals(changed.content)).toBe(true);
    const later = sent.slice(sent.indexOf('later')).filter((line) => line.startsWith('PUT'));
    expect(later.sort()).toEqual(['PUT 3', 'PUT 4', 'PUT 5']);
  });

  it('is not sent again where an earlier request joined its parts after it was looked at', async () => {
    const file = source(5);
    let step: 'first' | 'again' | 'joined' = 'first';
    const { files, sent, object } = volume(async ({ method, url }) => {
      const uploadId = new URL(url).searchParams.get('uploadId');
      if (uploadId === null) return;
      if (step === 'first' && method === 'POST') throw new Error('killed');
      if (step !== 'again') return;
      step = 'joined';
      const parts = Array.from({ length: 5 }, (_, at) => {
        const etag = md5(file.content.subarray(at * MIB, (at + 1) * MIB));
        return `<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${etag}</ETag></Part>`;
      });
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      expect((await object('POST', '/vol-datasets/big', { query: { uploadId }, body })).status).toBe(200);
    });
    await expect(files.write('big', file)).rejects.toThrow('killed');
    sent.length = 0;
    step = 'again';
    let bytes = 0;
    await files.write('big', file, (count) => (bytes += count));
    expect(step).toBe('joined');
    expect(sent.filter((line) => /^(PUT|POST)/.test(line))).toEqual([]);
    expect(bytes).toBe(file.bytes);
  });

  it.each([0, 1, 3])('of %i MiB is known to be the same, and one with another content is not', async (size) => {
    const { files } = volume();
    const file = source(size);
    const written = await files.write('big', file);
    const other = Buffer.from(file.content);
    if (size > 0) other[other.byteLength - 1] = (other.at(-1) ?? 0) + 1;
    const otherSource = { bytes: file.bytes, read: (start: number, end: number) => chunks(other.subarray(start, end)) };
    expect([await files.isSame(written, file), await files.isSame(written, otherSource)]).toEqual([true, size === 0]);
  });

  it('leaves no unfinished upload behind it', async () => {
    const { files, object } = volume();
    await files.write('big', source(3));
    const { text } = await object('GET', '/vol-datasets', { query: { uploads: '' } });
    expect(textsOf(text, 'Key')).toEqual([]);
  });

  it('that changed while it was read is not put together', async () => {
    const { files } = volume();
    const changed: FileSource = { ...source(3), check: () => Promise.reject(new Error('changed')) };
    await expect(files.write('big', changed)).rejects.toThrow('changed');
    expect(await files.find('big')).toBeUndefined();
  });
});
