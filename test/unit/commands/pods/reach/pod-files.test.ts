import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asId } from '../../../../../src/core/ids.ts';
import type { Terminal } from '../../../../../src/core/context.ts';
import type { Interrupt } from '../../../../../src/host/process/interrupt.ts';
import { createSpawn } from '../../../../../src/host/process/spawn.ts';
import { openPodFiles, type PodFiles } from '../../../../../src/commands/pods/reach/files/pod-files.ts';
import type { PutSource } from '../../../../../src/commands/pods/reach/files/put-whole.ts';
import { hasSshd, startSshd, type Sshd } from '../../../../support/servers/sshd.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const sshdTest = test.skipIf(!hasSshd);

/** The files of a pod whose server is that of OpenSSH. */
async function podFiles(): Promise<{ readonly sshd: Sshd; readonly open: () => Promise<PodFiles> }> {
  const sshd = await startSshd();
  const world = createTestWorld({ env: sshd.env });
  const ctx = {
    spawn: createSpawn(world, {} as Interrupt, () => world.directory),
    terminal: { output: false, errors: false, canAsk: false } as Terminal,
    signal: new AbortController().signal,
  };
  const address = { host: '127.0.0.1', port: sshd.port, user: sshd.user };
  return { sshd, open: () => openPodFiles(ctx, { id: asId<'pod'>('p1'), name: 'lab', start: 'now', address }) };
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const sourceOf = (bytes: Buffer, more: Partial<PutSource> = {}): PutSource => ({
  bytes: bytes.byteLength,
  version: digestOf(bytes),

  async *read(start, end) {
    for (let at = start; at < end; at += 100_000) yield bytes.subarray(at, Math.min(at + 100_000, end));
  },
  digest: () => Promise.resolve(digestOf(bytes)),
  ...more,
});

const collected = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
};

sshdTest('files of a pod are put whole, read, listed, compared and removed over one connection', async () => {
  const { sshd, open } = await podFiles();
  const files = await open();
  const at = (name: string): string => join(sshd.folder, name);
  const bytes = randomBytes(3_000_001);
  await files.makeFolder(at('a/b c'));
  let sent = 0;
  const source = sourceOf(bytes, { mode: 0o750, modifiedAt: 1_700_000_000_500 });
  const put = await files.put(at('a/b c/ü "x\''), source, (count) => (sent += count));
  expect([put, sent]).toEqual([{ isSame: false, isVerified: true }, bytes.byteLength]);
  expect(readFileSync(at('a/b c/ü "x\'')).equals(bytes)).toBe(true);
  expect(statSync(at('a/b c/ü "x\'')).mode & 0o777).toBe(0o750);
  expect(statSync(at('a/b c/ü "x\'')).mtimeMs).toBe(1_700_000_000_000);
  expect(await files.put(at('a/b c/ü "x\''), source)).toEqual({ isSame: true, isVerified: true });
  expect(await files.put(at('empty'), sourceOf(Buffer.alloc(0)))).toEqual({ isSame: false, isVerified: true });
  expect((await collected(files.read(at('a/b c/ü "x\''), 5, 2_000_000))).equals(bytes.subarray(5, 2_000_000))).toBe(
    true,
  );
  symlinkSync('nowhere', at('link'));
  expect((await files.list(sshd.folder)).map(({ name, kind }) => [name, kind])).toEqual([
    ['a', 'folder'],
    ['empty', 'file'],
    ['link', 'link'],
  ]);
  expect(await files.digest(at('empty'))).toBe(digestOf(Buffer.alloc(0)));
  expect(await files.digest(at('not there'))).toBeUndefined();
  expect(await files.look(at('not there'))).toBeUndefined();
  await files.remove(at('empty'));
  await files.remove(at('empty'));
  await files.removeEmptyFolder(at('a'));
  expect(readdirSync(sshd.folder)).toEqual(['a', 'link']);
  await files.close();
});

sshdTest('what an interrupted put has left is gone on with, and what differs is sent again', async () => {
  const { sshd, open } = await podFiles();
  const path = join(sshd.folder, 'file');
  const bytes = randomBytes(20_000_000);
  writeFileSync(path, 'before');
  const files = await open();
  const cut = sourceOf(bytes, {
    async *read() {
      yield bytes.subarray(0, 10_000_000);
      await files.close();
      yield bytes.subarray(10_000_000);
    },
  });
  await expect(files.put(path, cut)).rejects.toMatchObject({ code: 'connection-lost', exit: 7 });
  expect(readFileSync(path, 'utf8')).toBe('before');
  const [partial = ''] = readdirSync(sshd.folder).filter((name) => name.endsWith('.partial'));
  const left = statSync(join(sshd.folder, partial)).size;
  expect(left).toBeGreaterThan(5_000_000);
  const again = await open();
  const counts: number[] = [];
  await again.put(path, sourceOf(bytes), (count) => counts.push(count));
  expect([counts[0], readFileSync(path).equals(bytes)]).toEqual([left, true]);
  // A rest with other bytes: all is sent again.
  const other = Buffer.concat([bytes, Buffer.from('x')]);
  await expect(again.put(path, sourceOf(other, { check: () => Promise.reject(new Error('changed')) }))).rejects.toThrow(
    'changed',
  );
  expect(readdirSync(sshd.folder)).toEqual(['file']);
  writeFileSync(join(sshd.folder, partial), randomBytes(left));
  writeFileSync(path, 'before');
  expect(await again.put(path, sourceOf(bytes))).toEqual({ isSame: false, isReplaced: true, isVerified: true });
  expect(readFileSync(path).equals(bytes)).toBe(true);
  mkdirSync(join(sshd.folder, 'folder'));
  await expect(again.put(join(sshd.folder, 'folder'), sourceOf(bytes))).rejects.toMatchObject({ exit: 5 });
  await expect(again.put(join(sshd.folder, 'no/file'), sourceOf(bytes))).rejects.toMatchObject({ exit: 4 });
  await again.close();
});

sshdTest('a pod that speaks no SFTP is told from one that cannot be reached', async () => {
  const { sshd, open } = await podFiles();
  await sshd.stop();
  await expect(open()).rejects.toMatchObject({
    exit: 7,
    message: expect.stringMatching(/Connection refused/) as unknown,
  });
});
