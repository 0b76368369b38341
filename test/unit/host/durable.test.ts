import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DurableFiles } from '../../../src/core/context.ts';
import { openDurable } from '../../../src/host/durable.ts';
import { realLocks } from '../../support/locks.ts';

function open(stdin: Readable & { isTTY?: boolean } = Readable.from([])): { durable: DurableFiles; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'berth-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return { durable: openDurable({ stdin, cwd: folder }, new AbortController().signal, realLocks()), folder };
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

describe('a durable file', () => {
  test('is made once, for its owner, and written at its end', async () => {
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

  test('that was cut is written where it was cut', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'a'), 'whole torn');
    const file = await durable.open('a');
    await file.truncate(6);
    await file.append(Buffer.from('again'));
    await file.close();
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('whole again');
  });

  test('is read from an offset, in pieces; what is not there is told', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'a'), 'x'.repeat(600_000) + 'end');
    expect(await durable.size('a')).toBe(600_003);
    expect((await textOf(durable.read('a', 299_999))).length).toBe(300_004);
    expect(await durable.size('b')).toBeUndefined();
    await expect(textOf(durable.read('b'))).rejects.toMatchObject({ exit: 14 });
    await expect(durable.open('b')).rejects.toMatchObject({ exit: 14, message: 'cannot open b: it does not exist' });
  });

  test('takes the place of another', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'a'), 'old');
    writeFileSync(join(folder, 'b'), 'new');
    await durable.replace('b', 'a');
    expect([readFileSync(join(folder, 'a'), 'utf8'), readdirSync(folder)]).toEqual(['new', ['a']]);
  });

  test.skipIf(!existsSync('/dev/full'))('on a full disk says so', async () => {
    const { durable } = open();
    const file = await durable.open('/dev/full');
    await expect(file.append(Buffer.from('x'))).rejects.toMatchObject({
      exit: 14,
      message: 'cannot write /dev/full: the disk is full',
    });
    await file.close();
  });

  test('of standard input is what is piped in; a terminal is refused', async () => {
    expect(await textOf(open(Readable.from([Buffer.from('piped')])).durable.read('-'))).toBe('piped');
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    await expect(textOf(open(terminal).durable.read('-'))).rejects.toMatchObject({ exit: 2 });
  });
});

describe('a lock', () => {
  test('is held by one, who is named to the second', async () => {
    const { durable } = open();
    const release = await durable.lock('l');
    expect(await durable.holder('l')).toEqual({ pid: process.pid, host: hostname() });
    await expect(durable.lock('l')).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining(`process ${String(process.pid)}`) as string,
    });
    await release();
    expect(await durable.holder('l')).toBeUndefined();
    await (
      await durable.lock('l')
    )();
  });

  test.each([
    ['is gone', { pid: 4_194_303, host: hostname() }],
    ['is gone, its number another process has now', { pid: process.pid, host: hostname(), since: 'another boot 1' }],
  ])('of a process that %s is taken over, and leaves nothing', async (_, entry) => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'l'), JSON.stringify(entry));
    expect(await durable.holder('l')).toBeUndefined();
    const release = await durable.lock('l');
    expect(readdirSync(folder)).toEqual(['l']);
    await release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of another machine counts, and says which', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'l'), JSON.stringify({ pid: 1, host: 'elsewhere' }));
    await expect(durable.lock('l')).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining('elsewhere') as string,
      hint: expect.stringContaining('remove') as string,
    });
  });

  test('that is none is not touched', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'l'), 'something else');
    await expect(durable.lock('l')).rejects.toMatchObject({ exit: 14 });
    expect(readFileSync(join(folder, 'l'), 'utf8')).toBe('something else');
  });

  test('left behind and wanted by many goes to one', async () => {
    const { durable, folder } = open();
    writeFileSync(join(folder, 'l'), JSON.stringify({ pid: 4_194_303, host: hostname() }));
    const tries = await Promise.allSettled([1, 2, 3, 4].map(() => durable.lock('l')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
