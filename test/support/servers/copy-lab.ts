import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { expectNoKeyNoStack } from '../worlds/expect-run.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../worlds/test-world.ts';
import { json, pointedAt, serve } from './scripted-server.ts';
import { startSshd, type Sshd } from './sshd.ts';

export const podAt = (sshd: Pick<Sshd, 'port' | 'user'>, port = sshd.port, more: object = {}) => ({
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
export async function lab({
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

export const hashOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** The paths below a folder with the SHA-256 of each file. */
export function hashes(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), hashOf(readFileSync(path))] as const)
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
export function hardTree(folder: string): void {
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

export const partials = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.partial'));

/** A way to a port that breaks when so many bytes went through, once. */
export async function cutting(port: number, after: number): Promise<number> {
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
