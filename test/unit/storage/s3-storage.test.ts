import { expect, test } from 'vitest';
import { chunksOf, mixedBytes, readAll } from '../../support/storage/contents.ts';
import { keysIn, openTestVolume } from '../../support/storage/open-test-volume.ts';
import { sha256 } from '../../../src/storage/sign.ts';
import { describeWithS3, S3_ENV } from '../../support/storage/s3-peer.ts';

describeWithS3('an S3-compatible service', (peer) => {
  const open = async (bucket?: string) => {
    const name = bucket ?? (await peer().createBucket());
    return { bucket: name, volume: await openTestVolume(peer().endpoint, name, S3_ENV) };
  };

  test('returns what was written, whole and in ranges', async () => {
    const { volume } = await open();
    const written = await volume.writeStream('in/a.jsonl', chunksOf('one\n', 'two\n', 'three\n'));
    expect(written).toMatchObject({ key: 'in/a.jsonl', bytes: 14 });
    expect(await volume.find('in/a.jsonl')).toMatchObject({ bytes: 14, version: written.version });
    expect((await readAll(volume.read(written))).toString()).toBe('one\ntwo\nthree\n');
    expect((await readAll(volume.read(written, 4, 8))).toString()).toBe('two\n');
    expect((await readAll(volume.read(written, 8))).toString()).toBe('three\n');
    expect((await readAll(volume.read(written, 5, 5))).toString()).toBe('');
  });

  test('writes an empty object and an object of several parts', async () => {
    const { volume } = await open();
    const empty = await volume.writeStream('empty', chunksOf());
    expect(await readAll(volume.read(empty))).toHaveLength(0);
    const content = mixedBytes(17 * 1024 * 1024 + 7);
    const large = await volume.writeStream('large', chunksOf(content.subarray(0, 5), content.subarray(5)));
    expect(large.bytes).toBe(content.byteLength);
    expect((await readAll(volume.read(large))).equals(content)).toBe(true);
  });

  test('replaces an object, and then refuses to read the one that was there, and one that was removed', async () => {
    const { volume } = await open();
    const before = await volume.writeStream('a', chunksOf('before'));
    const after = await volume.writeStream('a', chunksOf('after!'));
    const changed = { exit: 14, message: expect.stringContaining('was changed') as unknown };
    await expect(readAll(volume.read(before))).rejects.toMatchObject(changed);
    expect((await readAll(volume.read(after))).toString()).toBe('after!');
    await volume.remove('a');
    await volume.remove('a');
    expect(await volume.find('a')).toBeUndefined();
    await expect(readAll(volume.read(after))).rejects.toMatchObject({ exit: 14 });
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

  test('removes the parts of an object that was not completed', async () => {
    const { volume, bucket } = await open();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield mixedBytes(33 * 1024 * 1024);
      throw new Error('no more');
    }
    await expect(volume.writeStream('a', broken())).rejects.toThrow('no more');
    expect(await peer().uploads(bucket)).toBe(0);
    expect(await peer().keys(bucket)).toEqual([]);
  });

  test('says which bucket is missing', async () => {
    const { volume } = await open('no-such-bucket');
    await expect(volume.writeStream('a', chunksOf('x'))).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining(
        'cannot write s3://no-such-bucket/a: the storage service answered 404 NoSuchBucket',
      ) as unknown,
    });
  });
});
