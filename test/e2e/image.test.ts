import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPackage, nodePath, runProgram, type Ended } from './support.ts';

// What the Dockerfile copies into the image, run as a container runs it: another root, read-only, and a user without rights.
// A container engine is not needed, and `docker build` itself is not tested.

/** Mounts the root read-only, with an empty home for TMPFS=1, and runs a program in it. Needs the rights of root. */
const IN_ROOT = `
set -e
mount --bind "$0" "$0"
mount -o remount,ro,bind "$0"
if [ -n "$TMPFS" ]; then mount -t tmpfs -o mode=1777 tmpfs "$0/home/berth"; fi
exec env -i PATH=/usr/bin HOME=/home/berth "$(command -v chroot)" --userspec="$USER_ID" "$0" "$@"`;

const isLinux = process.platform === 'linux';
/** With a user namespace, a user without rights could mount too, but could not become the user of the image. */
const canMount =
  isLinux &&
  process.geteuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt && command -v chroot']).status === 0;
const WITHOUT = canMount ? '' : ' (skipped: this needs root, unshare and chroot)';

describe.skipIf(!isLinux || !isPackage)('the image', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'berth-image-'));
    execFileSync(nodePath(), ['scripts/image-root.mjs', path.join(folder, 'root')], { stdio: 'pipe' });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs a program of the image. */
  const inImage = (words: readonly string[], { home = false, user = '65532:65532' } = {}): Promise<Ended> =>
    runProgram('unshare', ['--mount', 'sh', '-c', IN_ROOT, path.join(folder, 'root'), ...words], {
      env: { PATH: process.env['PATH'] ?? '', TMPFS: home ? '1' : '', USER_ID: user },
    });

  test('has two programs, no shell, and nothing that only its owner can read or that others can write', () => {
    const root = path.join(folder, 'root');
    expect(readdirSync(path.join(root, 'usr/bin')).sort()).toEqual(['berth', 'node']);
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) =>
      path.join(entry.parentPath, entry.name),
    );
    const modes = files.map((file) => [path.relative(root, file), lstatSync(file)] as const);
    const odd = modes.filter(([, stats]) => !stats.isSymbolicLink() && ![0o755, 0o644].includes(stats.mode & 0o7777));
    expect(odd.map(([name, { mode }]) => [name, (mode & 0o7777).toString(8)]).sort()).toEqual([
      ['home/berth', '1777'],
      ['tmp', '1777'],
    ]);
    expect(files.filter((file) => /\/(sh|bash|dash|busybox)$/.test(file))).toEqual([]);
  });

  describe.skipIf(!canMount)(`with a read-only root and a user without rights${WITHOUT}`, () => {
    test('lists pods of the local service, where its home is writable', async () => {
      const { code, stdout, stderr } = await inImage(['/usr/bin/berth', '--local', 'pods', 'list'], { home: true });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('pod-train');
    });

    test('says which folder it cannot use, where its home is not writable', async () => {
      const { code, stderr } = await inImage(['/usr/bin/berth', '--local', 'pods', 'list']);
      expect(code).toBe(14);
      expect(stderr).toMatch(/cannot use the directory \/home\/berth\/\S+: it cannot be made/);
    });

    test.each(['65532:65532', '1000:1000'])('runs a command on a local service as user %s', async (user) => {
      const run = (...words: readonly string[]) =>
        inImage(['/usr/bin/berth', 'local', 'exec', '--', ...words], { user });
      const { code, stdout, stderr } = await run('berth', 'pods', 'list', '-o', 'id');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('pod-train\n');
      expect((await run('node', '-p', 'process.getuid() + ":" + process.getgid()')).stdout).toBe(`${user}\n`);
    });
  });
});
