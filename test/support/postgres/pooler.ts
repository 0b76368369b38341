import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Cluster } from './cluster.mjs';

/** Where Debian installs it: the PATH of other users than root leaves this folder out. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;

/** Whether PgBouncer is installed. */
export const hasPooler = spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0;
if (!hasPooler) console.log('note: PgBouncer is not installed, the tests that need it are skipped');

/** Starts the pooler, and ends it when stdin closes, also after the death of the process that holds the pipe. */
const GUARD = `"$@" </dev/null >/dev/null 2>&1 & pooler=$!
read -r _
kill -9 "$pooler" 2>/dev/null
wait`;

/**
 * Starts PgBouncer in transaction mode before a cluster, with two connections for all clients, until the test is over.
 * `settings` are lines of its file. Returns its port.
 */
export async function startPooler(
  cluster: Cluster,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly port: number; readonly log: () => string }> {
  const folder = join(cluster.folder, `pooler-${String(Math.floor(Math.random() * 1e9))}`);
  mkdirSync(folder);
  const port = await freePort();
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users'),
    logfile: join(folder, 'log'),
    pool_mode: 'transaction',
    default_pool_size: '2',
    ...settings,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name} = ${value}\n`);
  const databases = `[databases]\n* = host='${cluster.folder}' port=${String(cluster.port)}\n`;
  writeFileSync(join(folder, 'ini'), `${databases}[pgbouncer]\n${text.join('')}`);
  writeFileSync(join(folder, 'users'), `"postgres" "${cluster.password}"\n`);
  // It does not run as root, and neither does the cluster.
  const { uid, gid } = statSync(join(cluster.folder, 'data'));
  for (const name of ['', 'ini', 'users']) chownSync(join(folder, name), uid, gid);
  const child = spawn('sh', ['-c', GUARD, 'sh', 'pgbouncer', join(folder, 'ini')], {
    cwd: folder,
    env: { PATH },
    uid,
    gid,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  while (child.exitCode === null && !(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  return { port, log: () => readFileSync(join(folder, 'log'), 'utf8') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
