import { expect, test } from 'vitest';
import { hasSshd } from '../../../../support/servers/sshd.ts';
import { reachedPod } from './pod-world.ts';

const sshdTest = test.skipIf(!hasSshd);

/** Codes that mean something to shells and to ssh, and some that do not. */
const CODES = [0, 1, 3, 127, 130, 143, 254, 255];

sshdTest('the exit code of a command is that of pods exec; 255 may be that of ssh', async () => {
  const { pods } = await reachedPod();
  for (const code of CODES) {
    const ran = await pods('exec', 'p1', '--', 'sh', '-c', `exit ${String(code)}`);
    expect([ran.code, ran.err.includes('ssh failed (255)')]).toEqual([code, code === 255]);
  }
  for (const [signal, code] of [
    ['TERM', 143],
    ['KILL', 137],
  ] as const)
    expect((await pods('exec', 'p1', '--', 'sh', '-c', `kill -${signal} $$`)).code).toBe(code);
});

sshdTest('a command and a forward of the user for a host do not get in the way', async () => {
  const { pods, sshd } = await reachedPod();
  const forward = `LocalForward ${String(sshd.port)} 127.0.0.1:1`;
  sshd.configure(['RemoteCommand echo not this', forward, 'ExitOnForwardFailure yes']);
  const { code, err } = await pods('exec', 'p1', '--', 'sh', '-c', 'exit 7');
  expect([code, err]).toEqual([7, '']);
});

sshdTest('a pod that takes no key of mine ends 3, with what says which would fit', async () => {
  const { pods, world } = await reachedPod(['AuthorizedKeysFile none']);
  for (const words of [
    ['exec', 'p1', '--', 'true'],
    ['exec', 'p1', 'p1x', '--', 'true'],
    ['cp', '-r', world.directory, 'p1:to'],
  ]) {
    const { code, err } = await pods(...words);
    expect([code, err]).toEqual([3, expect.stringContaining('berth pods ssh p1 --explain')]);
    expect(err).toContain('refused your SSH keys');
  }
});

sshdTest('a refused key of an ssh that a command runs in the pod is the end of the command', async () => {
  const { pods } = await reachedPod();
  const said = 'echo "me@elsewhere: Permission denied (publickey)." >&2; exit 255';
  expect((await pods('exec', 'p1', '--', 'sh', '-c', said)).code).toBe(255);
});
