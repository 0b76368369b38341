import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { DurableFiles } from '../../../../src/core/context.ts';
import { openDurable } from '../../../../src/host/files/durable-files.ts';
import { writeForgedLock, HOLDERS } from '../../../support/files/forged-lock.ts';
import { realLocks } from '../../../support/files/real-locks.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

function open(stdin: Readable & { isTTY?: boolean } = Readable.from([])): { durable: DurableFiles; folder: string } {
  const folder = temporaryDirectory();
  return { durable: openDurable({ stdin, cwd: folder }, new AbortController().signal, realLocks()), folder };
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

describe('a durable file', () => {
  test('is created once with mode 0600 and is appended to', async () => {
    const { durable, folder } = open();
    const file = await durable.create('a');
    await file.append(Buffer.from('one '));
    await file.append(Buffer.from('two'));
    await file.sync();
    await file.close();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('one two');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600);
    await expect(durable.create('a')).rejects.toMatchObject({ exit: 14, message: 'cannot open a: it exists already' });
  });

  test('is appended to at the place where it was truncated', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'a'), 'whole torn');
    const file = await durable.open('a');
    await file.truncate(6);
    await file.append(Buffer.from('again'));
    await file.close();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('whole again');
  });

  test('is read from an offset in chunks, and a missing file is reported', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'a'), 'x'.repeat(600_000) + 'end');
    expect(await durable.size('a')).toBe(600_003);
    expect((await textOf(durable.read('a', 299_999))).length).toBe(300_004);
    expect(await durable.size('b')).toBeUndefined();
    await expect(textOf(durable.read('b'))).rejects.toMatchObject({ exit: 14 });
    await expect(durable.open('b')).rejects.toMatchObject({ exit: 14, message: 'cannot open b: it does not exist' });
  });

  test.each([
    ['nothing', 'Check its name.'],
    ['a-file/below', 'Check its name.'],
    ['.', 'Check its name.'],
  ])('that cannot be opened (%s) is reported with what to check', async (name, hint) => {
    const { durable } = open();
    await (await durable.create('a-file')).close();
    await expect(durable.open(name)).rejects.toMatchObject({ exit: 14, hint });
  });

  test.skipIf(!existsSync('/dev/full'))('is not a device', async () => {
    await expect(open().durable.open('/dev/full')).rejects.toMatchObject({
      exit: 14,
      message: 'cannot open /dev/full: it is not a regular file',
    });
  });
});

describe('a lock', () => {
  test('is held by one process, and the second one gets its name', async () => {
    const { durable, folder } = open();
    const release = await durable.lock('l');
    expect(await durable.holder('l')).toEqual({ pid: process.pid, host: hostname() });
    await expect(durable.lock('l')).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining(`process ${String(process.pid)}`) as string,
    });
    await release();
    expect(await durable.holder('l')).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    await (
      await durable.lock('l')
    )();
  });

  test('that was taken over stops every write, and the files are not changed', async () => {
    const { durable, folder } = open();
    const release = await durable.lock('l');
    const file = await durable.create('a');
    await file.append(Buffer.from('mine'));
    rmSync(join(folder, 'l'), { recursive: true });
    writeForgedLock(join(folder, 'l'), HOLDERS.otherHost());
    const lost = { exit: 14, message: expect.stringContaining('another berth has taken over') as string };
    await expect(file.append(Buffer.from('late'))).rejects.toMatchObject(lost);
    await expect(file.sync()).rejects.toMatchObject(lost);
    await expect(file.truncate(0)).rejects.toMatchObject(lost);
    await expect(durable.create('b')).rejects.toMatchObject(lost);
    await expect(durable.replace('a', 'b')).rejects.toMatchObject(lost);
    await expect(durable.remove('a')).rejects.toMatchObject(lost);
    await file.close();
    await release();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['a', 'l']);
    expect(readdirSync(join(folder, 'l'))).toHaveLength(1);
  });
});
