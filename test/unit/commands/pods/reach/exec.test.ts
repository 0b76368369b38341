import { expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { hasSshd, startSshd } from '../../../../support/servers/sshd.ts';

const sshdTest = test.skipIf(!hasSshd);

const podAt = (port: number, user: string, startedAt = '2026-11-24T10:00:00Z') => ({
  id: 'p1',
  name: 'lab',
  status: 'RUNNING',
  startedAt,
  ports: ['22/tcp'],
  ssh: { direct: { host: '127.0.0.1', port, username: user, command: '' }, proxy: null },
});

/** Returns what runs `pods exec` in a pod whose server is that of OpenSSH. */
async function executor(): Promise<(...words: readonly string[]) => Promise<Ran>> {
  const sshd = await startSshd();
  const server = await serve([json(podAt(sshd.port, sshd.user))]);
  const world = createTestWorld({ env: { ...pointedAt(server.url), ...sshd.env } });
  return (...words) => berthIn(world, ['pods', 'exec', 'p1', ...words]);
}

/** Codes that mean something to shells and to ssh, and some that do not. BERTH_EXIT_CODES=all: each of them. */
const CODES =
  process.env['BERTH_EXIT_CODES'] === 'all'
    ? Array.from({ length: 256 }, (_, code) => code)
    : [0, 1, 3, 127, 130, 143, 254, 255];

sshdTest('the exit code of a command is that of pods exec; 255 may be that of ssh', async () => {
  const exec = await executor();
  for (let at = 0; at < CODES.length; at += 16) {
    const codes = CODES.slice(at, at + 16);
    const ran = await Promise.all(codes.map((code) => exec('--', 'sh', '-c', `exit ${String(code)}`)));
    expect(ran.map(({ code }) => code)).toEqual(codes);
  }
  // One after the other: what runs at once shares its stderr.
  for (const code of [254, 255]) {
    const { err } = await exec('--', 'sh', '-c', `exit ${String(code)}`);
    expect(err.includes('ssh failed (255)')).toBe(code === 255);
  }
});

sshdTest.each([
  ['TERM', 143],
  ['KILL', 137],
])('a command that SIG%s ends has the exit code of a shell, %i', async (signal, code) => {
  const exec = await executor();
  expect((await exec('--', 'sh', '-c', `kill -${signal} $$`)).code).toBe(code);
});

sshdTest('a command and a forward of the user for a host do not get in the way', async () => {
  const sshd = await startSshd();
  const server = await serve([json(podAt(sshd.port, sshd.user))]);
  const world = createTestWorld({ env: { ...pointedAt(server.url), ...sshd.env } });
  sshd.configure([
    'RemoteCommand echo not this',
    `LocalForward ${String(sshd.port)} 127.0.0.1:1`,
    'ExitOnForwardFailure yes',
  ]);
  const { code, err } = await berthIn(world, ['pods', 'exec', 'p1', '--', 'sh', '-c', 'exit 7']);
  expect([code, err]).toEqual([7, '']);
});

sshdTest('a pod that takes no key of mine ends 3, with what says which would fit', async () => {
  const sshd = await startSshd(['AuthorizedKeysFile none']);
  const server = await serve([json(podAt(sshd.port, sshd.user))]);
  const world = createTestWorld({ env: { ...pointedAt(server.url), ...sshd.env } });
  for (const words of [['p1'], ['p1', 'p1x']]) {
    const { code, err } = await berthIn(world, ['pods', 'exec', ...words, '--', 'true']);
    expect([code, err]).toEqual([3, expect.stringContaining('refused your SSH keys')]);
    expect(err).toContain('berth pods ssh p1 --explain');
  }
});

sshdTest('a refused key of an ssh that a command runs in the pod is the end of the command', async () => {
  const exec = await executor();
  const said = 'echo "me@elsewhere: Permission denied (publickey)." >&2; exit 255';
  expect((await exec('--', 'sh', '-c', said)).code).toBe(255);
});
