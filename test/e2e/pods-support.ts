import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { hasSsh, type Sshd } from '../support/servers/sshd.ts';
import { serve } from './support.ts';
import { folderWith, type Folder } from './workers/support.ts';

/** A test that enters pods of the local service. */
export const sshTest = test.skipIf(!hasSsh);

/** Where a program is, without the folder of a test. */
export const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();

/** A service whose only pod, `lab`, is a server of OpenSSH, or another port that leads to it. Gives the address of the service. */
export const serveLab = (sshd: Sshd, port = sshd.port): Promise<string> =>
  serve((_request, response) => {
    const direct = { host: '127.0.0.1', port, username: sshd.user, command: '' };
    const pod = { id: 'lab', name: 'lab', status: 'RUNNING', startedAt: '2026-11-24T10:00:00Z', ports: ['22/tcp'] };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...pod, ssh: { direct, proxy: null } }));
  });

/** A pod that can be entered with the key of this folder. `ready POD` lets its start pass. */
export const LAB = `
ready() { berth local clock advance 10s > clock.txt 2>&1; berth pods wait "$1" > waited.txt; }
berth account ssh-keys add "$(cat key.pub)" > keys.txt
berth pods create --name lab --gpu GPU-24G --image example/x:1 --start-ssh --port 22/tcp > pod.txt
ready lab
`;

/**
 * A folder with a key. ssh reads the home folder of the user from the system: programs of the same names in the search path give
 * ssh, scp and sftp the key and the configuration of the folder.
 */
export async function folderWithKey(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const folder = await folderWith(files);
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', folder.at('key')]);
  mkdirSync(folder.at('bin'));
  mkdirSync(folder.at('.ssh'), { mode: 0o700 });
  writeFileSync(folder.at('.ssh/config'), '');
  for (const name of ['ssh', 'scp', 'sftp']) {
    const file = path.join(folder.at('bin'), name);
    writeFileSync(file, `#!/bin/sh\nexec "${pathOf(name)}" -F "${folder.at('ssh_config')}" "$@"\n`);
    chmodSync(file, 0o755);
  }
  // An Include without a folder is looked for in that of the user.
  writeFileSync(
    folder.at('ssh_config'),
    `Include "${folder.at('.ssh/berth_config')}"\nIdentityFile "${folder.at('key')}"\nIdentitiesOnly yes\nBatchMode yes\n`,
  );
  return { ...folder, env: { ...folder.env, PATH: `${folder.at('bin')}:${folder.env['PATH'] ?? ''}` } };
}
