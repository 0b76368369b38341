import { expect, test } from 'vitest';
import type { ObjectStorage, StoredObject } from '../../../src/core/context.ts';

/** Storage of one test, and a prefix of its own such as `/tmp/x/` or `s3://bucket/`. */
export interface StorageUnderTest {
  readonly storage: ObjectStorage;
  readonly root: string;
}

export async function* chunksOf(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

export async function listed(objects: AsyncIterable<StoredObject>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { address } of objects) all.push(address);
  return all;
}

/** Bytes that no compression and no repetition can hide a mistake in. */
export function mixedBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 1; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** What every kind of storage does. `open` returns storage without objects. */
export function testStorage(open: () => Promise<StorageUnderTest>): void {
  test('returns what was written, whole and in ranges', async () => {
    const { storage, root } = await open();
    const written = await storage.write(`${root}in/a.jsonl`, chunksOf('one\n', 'two\n', 'three\n'));
    expect(written).toMatchObject({ address: `${root}in/a.jsonl`, bytes: 14 });
    expect(await storage.describe(written.address)).toEqual(written);
    expect((await readAll(storage.read(written))).toString()).toBe('one\ntwo\nthree\n');
    expect((await readAll(storage.read(written, 4, 8))).toString()).toBe('two\n');
    expect((await readAll(storage.read(written, 8))).toString()).toBe('three\n');
    expect((await readAll(storage.read(written, 5, 5))).toString()).toBe('');
  });

  test('writes an empty object and an object of several parts', async () => {
    const { storage, root } = await open();
    const empty = await storage.write(`${root}empty`, chunksOf());
    expect(empty.bytes).toBe(0);
    expect(await readAll(storage.read(empty))).toHaveLength(0);
    const content = mixedBytes(33 * 1024 * 1024 + 7);
    const large = await storage.write(`${root}large`, chunksOf(content.subarray(0, 5), content.subarray(5)));
    expect(large.bytes).toBe(content.byteLength);
    expect((await readAll(storage.read(large))).equals(content)).toBe(true);
    expect(
      (await readAll(storage.read(large, 16_777_210, 16_777_220))).equals(content.subarray(16_777_210, 16_777_220)),
    ).toBe(true);
  });

  test('replaces an object, and then refuses to read the one that was there', async () => {
    const { storage, root } = await open();
    const before = await storage.write(`${root}a`, chunksOf('before'));
    const after = await storage.write(`${root}a`, chunksOf('after!'));
    expect(after.version).not.toBe(before.version);
    await expect(readAll(storage.read(before))).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining('was changed') as unknown,
    });
    expect((await readAll(storage.read(after))).toString()).toBe('after!');
  });

  test('creates an object once, whoever asks first', async () => {
    const { storage, root } = await open();
    const contents = ['one', 'two', 'three'].map((text) => Buffer.from(text));
    const created = await Promise.all(contents.map((content) => storage.create(`${root}in/owner`, content)));
    expect(created.filter(Boolean)).toHaveLength(1);
    const object = await storage.describe(`${root}in/owner`);
    if (object === undefined) throw new Error('nothing was created');
    expect(await readAll(storage.read(object))).toEqual(contents[created.indexOf(true)]);
    expect(await storage.create(`${root}in/owner`, Buffer.from('four'))).toBe(false);
  });

  test('leaves nothing of an object whose content could not be produced', async () => {
    const { storage, root } = await open();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield mixedBytes(17 * 1024 * 1024);
      yield mixedBytes(17 * 1024 * 1024);
      throw new Error('no more');
    }
    await expect(storage.write(`${root}a`, broken())).rejects.toThrow('no more');
    expect(await storage.describe(`${root}a`)).toBeUndefined();
    expect(await listed(storage.list(root))).toEqual([]);
  });

  test('lists by prefix and by glob, in the order of the bytes', async () => {
    const { storage, root } = await open();
    const names = ['a-b', 'a.b', 'a/b/c', 'a/d', 'é', 'z z', 'b+c%20', 'a/"quoted"&<x>'];
    for (const name of names) await storage.write(`${root}${name}`, chunksOf(name));
    const inOrder = names
      .map((name) => `${root}${name}`)
      .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const all = await listed(storage.list(root));
    expect(all).toEqual(inOrder);
    expect(await listed(storage.list(`${root}a/`))).toEqual(all.filter((address) => address.startsWith(`${root}a/`)));
    expect(await listed(storage.list(`${root}a`))).toEqual(all.filter((address) => address.startsWith(`${root}a`)));
    expect(await listed(storage.list(`${root}*`))).toEqual(
      all.filter((address) => !address.slice(root.length).includes('/')),
    );
    expect(await listed(storage.list(`${root}**/c`))).toEqual([`${root}a/b/c`]);
    expect(await listed(storage.list(`${root}missing/`))).toEqual([]);
    for await (const object of storage.list(root))
      expect((await readAll(storage.read(object))).toString()).toBe(object.address.slice(root.length));
  });

  test('removes an object, and does not mind that there is none', async () => {
    const { storage, root } = await open();
    const written = await storage.write(`${root}a`, chunksOf('a'));
    await storage.remove(`${root}a`);
    await storage.remove(`${root}a`);
    expect(await storage.describe(`${root}a`)).toBeUndefined();
    await expect(readAll(storage.read(written))).rejects.toMatchObject({ exit: 14 });
  });
}
