import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Header } from 'tar';
import { expect, test } from 'vitest';
import { podAt, lab, partials, cutting } from '../../../../support/servers/copy-lab.ts';
import { hasSshd } from '../../../../support/servers/sshd.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { withPrograms } from './pod-world.ts';

const sshdTest = test.skipIf(!hasSshd);

sshdTest.each(['up', 'down'])('a copy (%s) whose connection breaks leaves the target as it was', async (direction) => {
  const { world, at, cp } = await lab({
    documents: async (sshd) => [
      podAt(sshd, await cutting(sshd.port, 3_000_000)),
      podAt(sshd, sshd.port, { startedAt: '2026-11-24T11:00:00Z' }),
    ],
  });
  const bytes = randomBytes(6_000_000);
  const [here, there] = [join(world.directory, 'file'), at('file')];
  const [source, target] = direction === 'up' ? [here, there] : [there, here];
  const words = direction === 'up' ? ['file', `p1:${there}`] : [`p1:${there}`, 'file'];
  writeFileSync(source, bytes);
  writeFileSync(target, 'before');
  const cut = await cp(...words);
  expect([cut.code, cut.err], cut.out).toEqual([7, expect.stringContaining('berth pods get p1')]);
  expect(cut.out + cut.err).toContain('connection to pod lab lost');
  expect(readFileSync(target, 'utf8')).toBe('before');
  // The pod sees the end of the connection a moment later.
  await expect.poll(() => partials(dirname(target))).toEqual([]);
  const again = await cp(...words);
  expect([again.code, readFileSync(target).equals(bytes)], again.err).toEqual([0, true]);
});

sshdTest('a copy that is interrupted ends 130 and leaves nothing in the pod', async () => {
  const { world, at } = await lab();
  writeFileSync(join(world.directory, 'big'), Buffer.alloc(100_000_000));
  const run = berthIn(world, ['pods', 'cp', 'big', `p1:${at('big')}`]);
  await expect.poll(() => partials(at(''))).toHaveLength(1);
  world.signal('SIGINT');
  expect((await run).code).toBe(130);
  await expect.poll(() => readdirSync(at(''))).toEqual([]);
});

sshdTest.each(['up', 'down'])('a file that grows while it is read (%s) is copied as it was', async (direction) => {
  const { world, at, cp } = await lab();
  const [here, there] = [join(world.directory, 'log'), at('log')];
  const [source, target] = direction === 'up' ? [here, there] : [there, here];
  writeFileSync(source, Buffer.alloc(20_000_000));
  const copy = direction === 'up' ? cp('log', `p1:${there}`) : cp(`p1:${there}`, 'log');
  const state = { isOver: false };
  void copy.finally(() => (state.isOver = true));
  while (!state.isOver) {
    appendFileSync(source, 'more');
    await new Promise(setImmediate);
  }
  const { code, err } = await copy;
  expect([code, err]).toEqual([0, expect.stringMatching(/grew while|changed as we read/)]);
  expect(statSync(target).size).toBeGreaterThanOrEqual(20_000_000);
  expect(statSync(target).size).toBeLessThan(statSync(source).size);
});

/** Runs a copy with this program as ssh. */
async function withSsh(ssh: string, ...words: readonly string[]): Promise<Ran> {
  const server = await serve([json(podAt({ port: 22, user: 'root' }))]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  writeFileSync(join(world.directory, 'file'), 'content');
  return await berthIn(withPrograms(world, { ssh }), ['pods', 'cp', ...words]);
}

test('a connection that breaks when all was sent leaves the outcome unknown, with what finds out', async () => {
  const { code, err } = await withSsh('echo ready; cat > /dev/null; exit 255', 'file', 'p1:to');
  expect([code, err]).toEqual([8, expect.stringContaining('berth pods exec p1 -- ls -la to')]);
  expect((await withSsh('cat > /dev/null; exit 255', 'file', 'p1:to')).code).toBe(7);
});

test('a connection that is gone before the pod says that it is ready leaves nothing there', async () => {
  const pod = temporaryDirectory();
  // The last word is the command for the pod; who would read what it prints has ended.
  const ssh = `eval "last=\\$\{$#}"; mkfifo '${pod}/f'; true < '${pod}/f' & exec 3> '${pod}/f'; wait; sh -c "$last" >&3`;
  const { code, err } = await withSsh(ssh, 'file', `p1:${pod}/to`);
  expect([code, readdirSync(pod)], err).toEqual([5, ['f']]);
});

test('a shell that prints text in the place of an archive is named as a cause', async () => {
  const { code, err } = await withSsh('echo Welcome; cat > /dev/null', 'p1:from', 'to');
  expect([code, err]).toEqual([7, expect.stringContaining('a shell that prints text when it starts')]);
});

/** An archive of entries: a link where it leads somewhere, else a file with its path as content. */
function archiveOf(entries: readonly (readonly [path: string, linkpath?: string])[]): Buffer {
  const blocks = entries.flatMap(([path, linkpath]) => {
    const size = linkpath === undefined ? path.length : 0;
    const type = linkpath === undefined ? 'File' : 'SymbolicLink';
    const header = new Header({ path, size, type, mode: 0o644, ...(linkpath === undefined ? {} : { linkpath }) });
    header.encode();
    return [
      header.block ?? Buffer.alloc(0),
      Buffer.alloc(512, size === 0 ? 0 : path.padEnd(512, '\0')).subarray(0, size === 0 ? 0 : 512),
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test('an archive of a pod writes nothing beside its target', async () => {
  const outside = temporaryDirectory();
  const file = join(temporaryDirectory(), 'archive');
  const ran = async (...entries: Parameters<typeof archiveOf>[0]): Promise<Ran> => {
    writeFileSync(file, archiveOf(entries));
    return await withSsh(`cat '${file}'`, '-r', 'p1:t', 'to');
  };
  for (const entries of [
    [['t/a'], ['t/../../evil']],
    [['t/a'], ['/evil']],
    [['t/link', outside], ['t/link/evil']],
    [
      ['t/link', outside],
      ['t/link/evil', 'x'],
    ],
    [['t/a'], ['.bashrc']],
  ] as const) {
    const { code, err } = await ran(...entries);
    expect([code, readdirSync(outside)], err).toEqual([14, []]);
  }
});

sshdTest('names that cannot be here are refused one by one, and the others are copied', async () => {
  const { world, at, cp } = await lab();
  const bad = (folder: string): void => {
    mkdirSync(folder);
    for (const name of ['ok', 'line\nfeed', 'bell\u0007', '\u001b[31mred']) writeFileSync(join(folder, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'not UTF-8');
  };
  bad(at('there'));
  bad(join(world.directory, 'here'));
  for (const [words, target] of [
    [[`p1:${at('there')}`, 'back'], join(world.directory, 'back')],
    [['here', `p1:${at('sent')}`], at('sent')],
  ] as const) {
    const ran = await cp('-r', ...words);
    expect([ran.code, readdirSync(target)], ran.err).toEqual([14, ['ok']]);
    for (const character of ['\u0007', '\u001b']) expect(ran.out + ran.err).not.toContain(character);
  }
});

test.each([
  [['-', 'p1:x'], 'cannot copy to or from'],
  [['a', 'b'], 'from a pod to this machine'],
  [['p1:x'], 'needs a source and a target'],
  [[':x', 'y'], 'names no pod'],
])('%j is refused before anything is sent', async (words, said) => {
  const ran = await berthIn(createTestWorld(), ['--local', 'pods', 'cp', ...words]);
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
});
