import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectNoKeyNoStack } from '../../../../support/worlds/expect-run.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { hasSshd, startSshd, type Sshd } from '../../../../support/servers/sshd.ts';

const sshdTest = test.skipIf(!hasSshd);

const podAt = (sshd: Sshd, port = sshd.port, more: object = {}) => ({
  id: 'p1',
  name: 'lab',
  status: 'RUNNING',
  startedAt: '2026-11-24T10:00:00Z',
  ports: ['22/tcp'],
  ssh: { direct: { host: '127.0.0.1', port, username: sshd.user, command: '' }, proxy: null },
  ...more,
});

interface Lab {
  readonly world: TestWorld;
  readonly sshd: Sshd;
  /** A path of the pod. */
  readonly at: (name: string) => string;
  readonly cp: (...words: readonly string[]) => Promise<Ran>;
}

/** A world with a pod whose server is that of OpenSSH. The last of the documents is answered from then on. */
async function lab({
  settings = [],
  documents,
}: { settings?: readonly string[]; documents?: (sshd: Sshd) => Promise<readonly object[]> } = {}): Promise<Lab> {
  const sshd = await startSshd(settings);
  const server = await serve(((await documents?.(sshd)) ?? [podAt(sshd)]).map((each) => json(each)));
  const world = createTestWorld({ env: { ...pointedAt(server.url), ...sshd.env } });
  return {
    world,
    sshd,
    at: (name) => join(sshd.folder, name),
    cp: async (...words) => {
      const ran = await berthIn(world, ['pods', 'cp', ...words]);
      expectNoKeyNoStack(ran);
      return ran;
    },
  };
}

/** The paths below a folder with the SHA-256 of each file. */
function hashes(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(
        (path) =>
          [path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')] as const,
      )
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const HARD = [
  'a b',
  "quo'te",
  'dou"ble',
  'dollar$HOME',
  '`tick`',
  'semi;colon',
  'ü',
  '日本',
  '-dash',
  '--rf',
  '*',
  '?',
  '[a]',
  'back\\slash',
  'a:b',
  '~',
  '#hash',
  '!bang',
  'a&b',
  'a|b',
  '(p)',
  '{b}',
  '%n',
  ' lead',
  'trail ',
  '.hidden',
  'x'.repeat(250),
];

/** 200 files with such names, in folders with such names. */
function hardTree(folder: string): void {
  for (let at = 0; at < 200; at += 1) {
    const name = HARD[at % HARD.length] ?? '';
    const parent = HARD[(at * 7) % HARD.length] ?? '';
    const path = join(
      folder,
      ...(at < HARD.length ? [] : [`d${String(Math.floor(at / HARD.length))}${parent}`.slice(0, 250)]),
      name,
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, randomBytes(at === 0 ? 300_000 : at * 13));
  }
}

sshdTest('200 files with hard names go to a pod and come back the same; the second time none is sent', async () => {
  const { world, at, cp } = await lab();
  const tree = join(world.directory, 'tree');
  hardTree(tree);
  const names = Object.keys(hashes(tree)).length;
  expect(names).toBe(200);
  const sent = await cp('-R', 'tree', `p1:${at('')}`);
  expect([sent.code, sent.err], sent.out + sent.err).toEqual([0, expect.stringContaining('200 files copied')]);
  expect(hashes(at('tree'))).toEqual(hashes(tree));
  const again = await cp('-R', 'tree/', `p1:${at('tree')}`);
  expect([again.code, again.err]).toEqual([0, expect.stringContaining('0 files copied, 0 B; 200 files the same')]);
  const back = await cp('-R', `p1:${at('tree')}/`, 'back');
  expect(back.code, back.err).toBe(0);
  expect(hashes(join(world.directory, 'back'))).toEqual(hashes(tree));
});

sshdTest('slashes, times, permissions and links follow the rules of files cp', async () => {
  const { world, at, cp } = await lab();
  const here = (name: string): string => join(world.directory, name);
  writeFileSync(here('run.sh'), 'echo');
  chmodSync(here('run.sh'), 0o750);
  utimesSync(here('run.sh'), 1_700_000_000, 1_700_000_000);
  expect((await cp('run.sh', `p1:${at('named')}`)).code).toBe(0);
  expect([statSync(at('named')).mode & 0o777, statSync(at('named')).mtimeMs]).toEqual([0o750, 1_700_000_000_000]);
  expect((await cp('run.sh', `p1:${at('new/folder')}/`)).code).toBe(0);
  expect(readdirSync(at('new/folder'))).toEqual(['run.sh']);
  expect((await cp(`p1:${at('new')}`, 'x')).err).toContain('is a folder');
  expect((await cp('run.sh', 'missing', `p1:${at('new/')}`)).code).toBe(4);
  expect((await cp('run.sh', 'run.sh', `p1:${at('named')}`)).err).toContain('several sources need a folder');
  expect((await cp(`p1:${at('named')}`, `p1:${at('other')}`)).err).toContain('both places are in pod lab');
  symlinkSync('/etc', at('new/link'));
  const back = await cp('-R', `p1:${at('new')}`, 'back/');
  expect([back.code, back.err]).toEqual([0, expect.stringContaining('new/link is left out')]);
  expect(statSync(here('back/new/folder/run.sh')).mode & 0o111).not.toBe(0);
  mkdirSync(here('t/link'), { recursive: true });
  writeFileSync(here('t/link/passwd'), 'x');
  const out = await cp('-R', 't/', `p1:${at('new')}`);
  expect([out.code, out.out + out.err]).toEqual([14, expect.stringContaining('leads out of the target')]);
});

sshdTest('between two pods the data goes through this machine, which is said', async () => {
  const { at, cp } = await lab({
    documents: async (sshd) => [podAt(sshd), podAt(sshd, sshd.port, { id: 'p2', name: 'two' })],
  });
  writeFileSync(at('one'), randomBytes(100_000));
  // The target is looked up first.
  const ran = await cp(`p2:${at('one')}`, `p1:${at('other')}`);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('went through this machine')]);
  expect(readFileSync(at('other')).equals(readFileSync(at('one')))).toBe(true);
});

/** A way to a port that breaks when so many bytes went through, once. */
async function cutting(port: number, after: number): Promise<number> {
  let rest = after;
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1');
    const pass = (bytes: Buffer): void => {
      rest -= bytes.byteLength;
      if (rest < 0 && rest > -1e9) {
        rest = -Infinity;
        socket.destroy();
        other.destroy();
      }
    };
    socket.on('data', pass).on('error', () => other.destroy());
    other.on('data', pass).on('error', () => socket.destroy());
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

sshdTest.each(['up', 'down'])(
  'a copy (%s) whose pod restarts on another port says what is known, and the same command goes on',
  async (direction) => {
    const { world, at, cp } = await lab({
      documents: async (sshd) => [
        podAt(sshd, await cutting(sshd.port, 10_000_000)),
        podAt(sshd, sshd.port, { startedAt: '2026-11-24T11:00:00Z' }),
      ],
    });
    const bytes = randomBytes(20_000_000);
    const [here, there] = [join(world.directory, 'file'), at('file')];
    const [source, target] = direction === 'up' ? [here, there] : [there, here];
    const words = direction === 'up' ? ['file', `p1:${there}`] : [`p1:${there}`, 'file'];
    writeFileSync(source, bytes);
    writeFileSync(target, 'before');
    const cut = await cp(...words);
    expect([cut.code, cut.err], cut.out).toEqual([7, expect.stringContaining('The pod was started again meanwhile')]);
    expect(cut.out + cut.err).toContain('the connection to pod lab has ended');
    expect(cut.err).toContain('The same command goes on');
    expect(readFileSync(target, 'utf8')).toBe('before');
    const partials = readdirSync(dirname(target)).filter((name) => name.endsWith('.partial'));
    expect(partials.map((name) => statSync(join(dirname(target), name)).size > 1_000_000)).toEqual([true]);
    const again = await cp(...words);
    expect([again.code, readFileSync(target).equals(bytes)], again.err).toEqual([0, true]);
    expect(readdirSync(dirname(target)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  },
);

sshdTest('a pod that takes no key of mine is told as such, with what says which would fit', async () => {
  const { world, at, cp } = await lab({ settings: ['AuthorizedKeysFile none'] });
  mkdirSync(join(world.directory, 'd'));
  writeFileSync(join(world.directory, 'd/file'), 'x');
  const { code, err } = await cp('-R', 'd', `p1:${at('to')}`);
  expect([code, err]).toEqual([3, expect.stringContaining('berth pods ssh p1 --explain')]);
  expect(err).toContain('ssh cannot enter pod lab: ');
});

sshdTest('what goes on with a copy is the same command', async () => {
  const { world, at, cp } = await lab({ documents: (sshd) => Promise.resolve([podAt(sshd, 1)]) });
  mkdirSync(join(world.directory, 'd'));
  const { code, err } = await cp('-R', '--start', 'd', `p1:${at('to')}`);
  expect([code, err]).toEqual([7, expect.stringContaining('Go on with: berth pods cp --recursive --start d ')]);
});

sshdTest('a pod without sha256sum is copied to and from, and it is said that only sizes were compared', async () => {
  // The shell of the account starts with a search path of its own.
  const { world, sshd, at, cp } = await lab({ settings: ['SetEnv PATH=/nowhere'] });
  writeFileSync(join(world.directory, 'file'), randomBytes(50_000));
  const sent = await cp('file', `p1:${at('file')}`);
  expect([sent.code, sent.err], sent.out).toEqual([
    0,
    expect.stringContaining('1 file of them was compared by size only'),
  ]);
  const back = await cp(`p1:${at('file')}`, 'back');
  expect([back.code, back.err]).toEqual([0, expect.stringContaining('compared by size only')]);
  expect(readFileSync(join(world.directory, 'back')).equals(readFileSync(join(sshd.folder, 'file')))).toBe(true);
});

sshdTest('names that a pod should not have are refused one by one, and lead nowhere', async () => {
  const { world, at, cp } = await lab();
  for (const name of ['ok', 'line\nfeed', 'bell\u0007', 'Same', 'same', '\u001b[31mred']) writeFileSync(at(name), name);
  writeFileSync(Buffer.concat([Buffer.from(`${at('')}/`), Buffer.from([0xff, 0xfe])]), 'not UTF-8');
  const ran = await cp('-R', `p1:${at('')}/`, 'back');
  expect(ran.code).toBe(14);
  expect(readdirSync(join(world.directory, 'back')).sort()).toEqual(['Same', 'ok']);
  for (const character of ['\u0007', '\u001b']) expect(ran.out + ran.err).not.toContain(character);
});

test.each([
  [['-', 'p1:x'], '- is no place'],
  [['a', 'b'], 'none of the places is in a pod'],
  [['p1:x'], 'needs a source and a target'],
  [[':x', 'y'], 'names no pod'],
  [['p1:a\nb', 'y'], 'no control characters'],
])('%j is refused before anything is sent', async (words, said) => {
  const ran = await berthIn(createTestWorld(), ['--local', 'pods', 'cp', ...words]);
  expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
});
