import { expect, test } from 'vitest';
import type { VolumeFiles } from '../../../src/core/file-ports.ts';
import { sha256 } from '../../../src/storage/sign.ts';
import { createFaultProxy, type Fault } from '../../support/storage/fault-proxy.ts';
import { keysIn, openTestVolume } from '../../support/storage/open-test-volume.ts';
import { describeWithS3, S3_ENV, type S3Peer } from '../../support/storage/s3-peer.ts';
import { chunksOf, mixedBytes, readAll } from '../../support/storage/contents.ts';

const CONTENT = mixedBytes(2500);

/** Two parts. */
const LARGE = mixedBytes(16 * 1024 * 1024 + 1);

/** Something that is done with storage, and what must be true afterwards at the service. */
interface Work {
  readonly name: string;
  readonly run: (volume: VolumeFiles) => Promise<void>;
  readonly check?: (peer: S3Peer, bucket: string) => Promise<void>;
}

const holds =
  (content: Buffer) =>
  async (peer: S3Peer, bucket: string): Promise<void> => {
    expect(await peer.keys(bucket)).toEqual(['in/a', 'out/a']);
    expect(await peer.sha256(bucket, 'out/a')).toBe(sha256(content));
    expect(await peer.uploads(bucket)).toBe(0);
  };

const WORKS: readonly Work[] = [
  {
    name: 'a read',
    run: async (volume) => {
      const file = await volume.find('in/a');
      if (file === undefined) throw new Error('no file');
      expect((await readAll(volume.read(file, 3, 2400))).equals(CONTENT.subarray(3, 2400))).toBe(true);
    },
  },
  {
    name: 'a listing',
    run: async (volume) => {
      expect(await keysIn(volume, 'in/')).toEqual(['in/a']);
    },
  },
  {
    name: 'a write in one request',
    run: async (volume) => {
      const written = await volume.writeStream('out/a', chunksOf(CONTENT));
      expect([written.bytes, await volume.confirm([written])]).toEqual([2500, new Map()]);
    },
    check: holds(CONTENT),
  },
  {
    name: 'a write in parts',
    run: async (volume) => {
      const written = await volume.writeStream('out/a', chunksOf(LARGE.subarray(0, 1100), LARGE.subarray(1100)));
      expect([written.bytes, await volume.confirm([written])]).toEqual([LARGE.byteLength, new Map()]);
    },
    check: holds(LARGE),
  },
  {
    name: 'a removal',
    run: async (volume) => {
      await volume.remove('in/a');
    },
    check: async (peer, bucket) => {
      expect(await peer.keys(bucket)).toEqual([]);
    },
  },
];

const FAULTS: readonly Fault[] = ['unavailable', 'reset', 'lost-answer', 'half-answer', 'silence'];

describeWithS3('with a service that fails at times,', (peer) => {
  const openBehind = (endpoint: string, bucket: string, timeoutMs = 10_000): Promise<VolumeFiles> =>
    openTestVolume(endpoint, bucket, S3_ENV, { timeoutMs });

  const newBucket = async (): Promise<string> => {
    const bucket = await peer().createBucket();
    await peer().put(bucket, 'in/a', CONTENT);
    return bucket;
  };

  // Its parts take time: only the worst fault, at its begin, at its completion and after it.
  const cases = WORKS.flatMap((work) => FAULTS.map((fault) => [work.name, fault, work] as const)).filter(
    ([name, fault]) => name !== 'a write in parts' || fault === 'lost-answer',
  );

  test.each(cases)('%s ends well with one %s at any of its requests', async (_, fault, work) => {
    for (let failing = 0; ; failing += work.name === 'a write in parts' ? 3 : 1) {
      const bucket = await newBucket();
      const proxy = await createFaultProxy(peer().endpoint, (number) => (number === failing ? fault : 'none'));
      const timeoutMs = fault === 'silence' ? 400 : undefined;
      await work.run(await openBehind(proxy.endpoint, bucket, timeoutMs));
      await work.check?.(peer(), bucket);
      if (proxy.requests.length <= failing) return;
    }
  });

  test.each(WORKS.map((work) => [work.name, work] as const))(
    '%s ends with one error when every request fails',
    async (_, work) => {
      const bucket = await newBucket();
      const proxy = await createFaultProxy(peer().endpoint, () => 'internal-error');
      await expect(work.run(await openBehind(proxy.endpoint, bucket))).rejects.toMatchObject({
        exit: 7,
        message: expect.stringMatching(
          /^cannot .* s3:\/\/.*: the storage service answered 500( InternalError: trouble)? \(tried 9 times\)$/,
        ) as unknown,
      });
      expect(await peer().uploads(bucket)).toBe(0);
    },
  );

  test('a write in parts that fails half way leaves neither an object nor parts', async () => {
    const bucket = await newBucket();
    const proxy = await createFaultProxy(peer().endpoint, (number, method) =>
      number >= 2 && method !== 'DELETE' ? 'unavailable' : 'none',
    );
    const volume = await openBehind(proxy.endpoint, bucket);
    await expect(volume.writeStream('out/a', chunksOf(LARGE))).rejects.toMatchObject({ exit: 7 });
    expect(await peer().uploads(bucket)).toBe(0);
    expect(await peer().keys(bucket)).toEqual(['in/a']);
  });

  test('an object that is changed during a read is refused, and none of its new bytes is used', async () => {
    const bucket = await newBucket();
    // A short answer that breaks off is read again as a whole.
    const content = mixedBytes(30_000);
    await peer().put(bucket, 'in/a', content);
    const proxy = await createFaultProxy(peer().endpoint, (number) => (number === 1 ? 'half-answer' : 'none'));
    const volume = await openBehind(proxy.endpoint, bucket);
    const file = await volume.find('in/a');
    if (file === undefined) throw new Error('no file');
    const read: Uint8Array[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of volume.read(file)) {
        if (read.length === 0) await peer().put(bucket, 'in/a', content.toReversed());
        read.push(chunk);
      }
    };
    await expect(reading()).rejects.toMatchObject({ exit: 14 });
    const bytes = Buffer.concat(read);
    expect(content.subarray(0, bytes.byteLength).equals(bytes)).toBe(true);
  });
});

describeWithS3('an S3-compatible service', (peer) => {
  const open = async (bucket?: string) => {
    const name = bucket ?? (await peer().createBucket());
    return { bucket: name, volume: await openTestVolume(peer().endpoint, name, S3_ENV) };
  };

  test('returns what was written, whole and in ranges', async () => {
    const { volume } = await open();
    const written = await volume.writeStream('in/a.jsonl', chunksOf('one\n', 'two\n', 'three\n'));
    expect(await volume.find('in/a.jsonl')).toMatchObject({ bytes: 14, version: written.version });
    for (const [start, end, text] of [
      [0, 14, 'one\ntwo\nthree\n'],
      [4, 8, 'two\n'],
      [5, 5, ''],
    ] as const)
      expect((await readAll(volume.read(written, start, end))).toString()).toBe(text);
    const empty = await volume.writeStream('empty', chunksOf());
    expect(await readAll(volume.read(empty))).toHaveLength(0);
  });

  test('reads what another client wrote, and writes what it reads', async () => {
    const { volume, bucket } = await open();
    const key = 'in/a b+c=é"x"&~*\'()!.jsonl';
    await peer().put(bucket, key, 'from the other\n');
    expect(await keysIn(volume, 'in/')).toEqual([key]);
    const file = await volume.find(key);
    if (file === undefined) throw new Error('no file');
    expect((await readAll(volume.read(file))).toString()).toBe('from the other\n');
    const large = mixedBytes(16 * 1024 * 1024 + 1);
    await volume.writeStream(`out/${key}`, chunksOf('small'));
    await volume.writeStream('out/large', chunksOf(large));
    expect((await peer().get(bucket, `out/${key}`)).toString()).toBe('small');
    expect(await peer().sha256(bucket, 'out/large')).toBe(sha256(large));
    expect(await peer().uploads(bucket)).toBe(0);
  });

  test('lists more keys than fit on a page', async () => {
    const { volume, bucket } = await open();
    const keys = Array.from({ length: 2005 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    await peer().putMany(bucket, keys);
    expect(await keysIn(volume, '')).toEqual(keys);
  });

  test('says which bucket is missing', async () => {
    const { volume } = await open('no-such-bucket');
    await expect(volume.writeStream('a', chunksOf('x'))).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining(
        's3://no-such-bucket/a: the storage service answered 404 NoSuchBucket',
      ) as unknown,
    });
  });
});
