import { expect, test } from 'vitest';
import { openTestStorage } from '../../support/storage/open-test-storage.ts';
import { describeWithS3, S3_ENV } from '../../support/storage/s3-peer.ts';
import { chunksOf, listed, mixedBytes, readAll, testStorage } from '../../support/storage/storage-cases.ts';

describeWithS3('an S3-compatible service', (peer) => {
  const open = () => openTestStorage({ ...S3_ENV, AWS_ENDPOINT_URL_S3: peer().endpoint }).storage;

  testStorage(async () => ({ storage: open(), root: `s3://${await peer().createBucket()}/` }));

  test('reads what another client wrote, and writes what it reads', async () => {
    const [storage, bucket] = [open(), await peer().createBucket()];
    const key = 'in/a b+c=é/"x"&~*\'()!.jsonl';
    await peer().put(bucket, key, 'from the other\n');
    const [address = ''] = await listed(storage.list(`s3://${bucket}/in/`));
    expect(address).toBe(`s3://${bucket}/${key}`);
    const object = await storage.describe(address);
    if (object === undefined) throw new Error('no object');
    expect((await readAll(storage.read(object))).toString()).toBe('from the other\n');
    const large = mixedBytes(16 * 1024 * 1024 + 1);
    await storage.write(`s3://${bucket}/out/${key}`, chunksOf('small'));
    await storage.write(`s3://${bucket}/out/large`, chunksOf(large));
    expect((await peer().get(bucket, `out/${key}`)).toString()).toBe('small');
    expect((await peer().get(bucket, 'out/large')).equals(large)).toBe(true);
    expect(await peer().uploads(bucket)).toBe(0);
  });

  test('lists more keys than fit on a page', async () => {
    const [storage, bucket] = [open(), await peer().createBucket()];
    const keys = Array.from({ length: 2005 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    await peer().putMany(bucket, keys);
    expect(await listed(storage.list(`s3://${bucket}/k`))).toEqual(keys.map((key) => `s3://${bucket}/${key}`));
  });

  test('removes the parts of an object that was not completed', async () => {
    const [storage, bucket] = [open(), await peer().createBucket()];
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield mixedBytes(40 * 1024 * 1024);
      throw new Error('no more');
    }
    await expect(storage.write(`s3://${bucket}/a`, broken())).rejects.toThrow('no more');
    expect(await peer().uploads(bucket)).toBe(0);
    expect(await peer().keys(bucket)).toEqual([]);
  });

  test('says which bucket is missing', async () => {
    await expect(open().write('s3://no-such-bucket/a', chunksOf('x'))).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining(
        'cannot write s3://no-such-bucket/a: the storage service answered 404 NoSuchBucket',
      ) as unknown,
    });
  });
});
