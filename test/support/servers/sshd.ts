import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../files/temporary-directory.ts';

const SSHD = '/usr/sbin/sshd';
const SFTP_SERVER = ['/usr/lib/openssh/sftp-server', '/usr/libexec/sftp-server'].find((path) => existsSync(path));

/** Where a program is, without the folders of a test. */
const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();

export const hasSsh =
  process.platform !== 'win32' && ['ssh', 'ssh-keygen'].every((name) => spawnSync(name, ['-V']).error === undefined);

/** Whether the server of OpenSSH is installed. */
export const hasSshd = hasSsh && existsSync(SSHD) && SFTP_SERVER !== undefined;
if (!hasSshd) console.log('note: not run: no sshd of OpenSSH, so its server is not tried');

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** Variables with which `ssh` has the key that opens it. */
  readonly env: Readonly<Record<string, string>>;
  /** What the user may write. */
  readonly folder: string;
  /** Adds lines to the configuration that `ssh` reads. */
  configure(lines: readonly string[]): void;
  stop(): Promise<void>;
}

/**
 * Starts the server of OpenSSH on the loopback address, as the user of the tests, until the test is over. `settings` are lines of
 * its configuration.
 */
export async function startSshd(settings: readonly string[] = []): Promise<Sshd> {
  const folder = temporaryDirectory();
  const at = (name: string): string => join(folder, name);
  for (const name of ['host', 'key']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  // Root's server needs it, and Debian makes it only when its service starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  mkdirSync(at('files'));
  const port = await freePort();
  const lines = [
    ...settings,
    `Port ${String(port)}`,
    'ListenAddress 127.0.0.1',
    `HostKey "${at('host')}"`,
    `AuthorizedKeysFile "${at('key.pub')}"`,
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'MaxStartups 100',
    `Subsystem sftp ${SFTP_SERVER ?? ''}`,
  ];
  writeFileSync(at('config'), `${lines.join('\n')}\n`);
  const server = spawn(SSHD, ['-D', '-e', '-f', at('config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => {
    server.once('close', () => {
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  await new Promise<void>((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server listening')) resolve();
    });
    void ended.then(() => {
      reject(new Error(`sshd has ended: ${said}`));
    });
  });
  return {
    port,
    user: userInfo().username,
    env: sshWithKey(folder, at('key')),
    folder: at('files'),
    configure: (more) => {
      appendFileSync(at('ssh_config'), `${more.join('\n')}\n`);
    },
    stop,
  };
}

/** Variables with which `ssh` reads no configuration of the user, and has one key. */
function sshWithKey(folder: string, key: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const config = join(folder, 'ssh_config');
  writeFileSync(config, `IdentityFile "${key}"\nIdentitiesOnly yes\n`);
  const file = join(bin, 'ssh');
  writeFileSync(file, `#!/bin/sh\nexec "${pathOf('ssh')}" -F "${config}" "$@"\n`);
  chmodSync(file, 0o755);
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
