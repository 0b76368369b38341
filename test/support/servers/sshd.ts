import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { freePort } from './ports.ts';

const SSHD = '/usr/sbin/sshd';
const SFTP_SERVER = ['/usr/lib/openssh/sftp-server', '/usr/libexec/sftp-server'].find((path) => existsSync(path));

/** Where a program is, without the folders of a test. */
const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();

const isRoot = process.getuid?.() === 0;

export const hasSsh =
  process.platform !== 'win32' && ['ssh', 'ssh-keygen'].every((name) => spawnSync(name, ['-V']).error === undefined);

/** Whether the server of OpenSSH is installed. */
export const hasSshd = hasSsh && existsSync(SSHD) && SFTP_SERVER !== undefined;
if (!hasSshd) console.log('note: not run: no sshd of OpenSSH, so its server is not tried');

/** A user of this machine who is not root and has a shell. */
export interface OrdinaryUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The users of whom a test that runs as root can be one; nobody else can become another user. */
function ordinaryUsers(): readonly OrdinaryUser[] {
  if (!isRoot || !existsSync('/etc/passwd') || pathOf('setpriv') === '') return [];
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , uid = '0', , , , shell = '']) => Number(uid) >= 1000 && shell.endsWith('sh') && existsSync(shell))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/**
 * Whose server is to be started for it to be that of an ordinary user: `own` where the tests run as one; undefined where root runs
 * them and there is no other user.
 */
export const ordinaryUser = (): OrdinaryUser | 'own' | undefined => (isRoot ? ordinaryUsers()[0] : 'own');

/** BERTH_SSHD_USER=NAME: all servers of OpenSSH run as this user, where root runs the tests. */
function userOfRun(): OrdinaryUser | 'own' {
  const name = process.env['BERTH_SSHD_USER'];
  if (name === undefined) return 'own';
  const found = ordinaryUsers().find((each) => each.name === name);
  if (found === undefined) throw new Error(`BERTH_SSHD_USER: no server can be started as ${name}`);
  return found;
}

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
 * Starts the server of OpenSSH on the loopback address, as the user of the tests or as another one, until the test is over.
 * `settings` are lines of its configuration.
 */
export async function startSshd(
  settings: readonly string[] = [],
  user: OrdinaryUser | 'own' = userOfRun(),
): Promise<Sshd> {
  const folder = user === 'own' ? temporaryDirectory() : openDirectory();
  const at = (name: string): string => join(folder, name);
  for (const name of ['host', 'key']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  // Root's server needs it, and Debian makes it only when its service starts.
  if (isRoot) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
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
  const env = sshWithKey(folder, at('key'));
  const line = [SSHD, '-D', '-e', '-f', at('config')];
  if (user !== 'own') {
    const { uid, gid } = user;
    spawnSync('chown', ['-R', `${String(uid)}:${String(gid)}`, folder]);
    line.unshift('setpriv', '--reuid', String(uid), '--regid', String(gid), '--init-groups');
  }
  const [program = '', ...args] = line;
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
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
    user: user === 'own' ? userInfo().username : user.name,
    env,
    folder: at('files'),
    configure: (more) => {
      appendFileSync(at('ssh_config'), `${more.join('\n')}\n`);
    },
    stop,
  };
}

/** A folder that other users can enter, as the folders of tests cannot be. */
function openDirectory(): string {
  const directory = mkdtempSync('/tmp/berth-sshd-');
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
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
