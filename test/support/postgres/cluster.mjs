/**
 * A PostgreSQL cluster of its own for tests and trials: in a temporary directory, on loopback and on a socket, never as
 * root. Nothing of it is left when it is removed, or when the process that started it ends in any way.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const LEAST_VERSION = 15;
const PROGRAMS = ['initdb', 'postgres', 'pg_isready', 'psql'];
/** A server that has not started or ended after so long hangs, on the slowest machine too. */
const SILENCE_MS = 240_000;
const POLL_MS = 20;
/** Users that may own a cluster when the caller is root, which PostgreSQL refuses. */
const USERS = ['postgres', 'nobody'];

const run = promisify(execFile);
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts the server and prints its process id. Ends with the server. When stdin closes, also after the death of the process
 * that holds the other end of the pipe, it ends the server and removes its files.
 */
const GUARD = `exec 3<&0
"$@" 3<&- </dev/null >>"$FOLDER/log" 2>&1 & server=$!
echo "$server"
{ read -r _ <&3; : >"$FOLDER/abandoned"; kill -QUIT "$server"; } >/dev/null 2>&1 & reader=$!
wait "$server"
kill "$reader" 2>/dev/null
wait
if [ -e "$FOLDER/abandoned" ]; then rm -rf "$FOLDER"; fi`;

/** Running clusters. They are removed when the process exits. */
const running = new Set();
process.on('exit', () => {
  for (const cluster of running) cluster.removeNow();
});

/**
 * Returns the folder of the newest installed programs of PostgreSQL and their major version, or undefined when version 15 or
 * newer is not installed. Looks into PATH and into the folders of Debian.
 */
export function findPostgres() {
  const found = [...(process.env.PATH ?? '').split(path.delimiter), ...debianFolders()].flatMap((folder) => {
    const version = folder === '' ? undefined : versionIn(folder);
    return version === undefined || version < LEAST_VERSION ? [] : [{ folder, version }];
  });
  return found.sort((one, other) => other.version - one.version)[0];
}

const debianFolders = () => {
  const root = '/usr/lib/postgresql';
  return existsSync(root) ? readdirSync(root).map((version) => path.join(root, version, 'bin')) : [];
};

function versionIn(folder) {
  if (!PROGRAMS.every((name) => existsSync(path.join(folder, name)))) return undefined;
  try {
    const text = execFileSync(path.join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
    return Number(/ (\d+)/.exec(text)?.[1]);
  } catch {
    return undefined;
  }
}

/** The user and group that own a cluster: undefined for the caller's own. */
function ownerOfCluster() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of USERS) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((each) => each.startsWith(`${name}:`));
    if (line === undefined) continue;
    const [, , uid, gid] = line.split(':');
    return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`PostgreSQL does not run as root, and none of these users exists: ${USERS.join(', ')}`);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Copies the files of a new cluster to the template, unless another process has. */
async function leaveTemplate(data, template) {
  const copy = `${template}.${process.pid}`;
  await run('cp', ['-a', data, copy]);
  try {
    renameSync(copy, template);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

/**
 * Creates a cluster and starts it. Connections over TCP need the password, those over the socket need none. `durable: true`
 * syncs to disk, for measurements; without it a cluster survives SIGKILL, but not the end of the machine. `tls` holds a
 * certificate and its key as PEM. `settings` are lines for postgresql.conf. `template` is a folder of which a cluster is a copy:
 * the first one makes it, because making a cluster takes a second of work.
 */
export async function createCluster({ durable = false, tls, settings = {}, template } = {}) {
  const postgres = findPostgres();
  if (postgres === undefined) throw new Error(`PostgreSQL ${LEAST_VERSION} or newer is not installed`);
  const owner = ownerOfCluster();
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-pg-'));
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const log = path.join(folder, 'log');
  const password = 'not-a-secret';
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', FOLDER: folder } };
  const program = (name) => path.join(postgres.folder, name);
  const write = (file, text) => {
    writeFileSync(file, text, { mode: 0o600 });
    if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
  };

  let port;
  let pid;
  let hasEnded = true;

  const removeNow = () => {
    running.delete(cluster);
    signal('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  const signal = (name) => {
    if (hasEnded) return;
    try {
      process.kill(pid, name);
    } catch {
      // It has ended since.
    }
  };
  const query = async (sql, database = 'postgres') => {
    const args = ['-h', folder, '-p', String(port), '-U', 'postgres', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', database];
    const { stdout } = await run(program('psql'), [...args, '-c', sql], { ...options, maxBuffer: 256 * 2 ** 20 });
    return stdout.trimEnd();
  };
  const isReady = () =>
    run(program('pg_isready'), ['-h', folder, '-p', String(port), '-t', '5'], options).then(
      () => true,
      () => false,
    );

  /** Starts the server once. Returns false when it ends before it accepts connections. */
  const startOnce = async () => {
    const args = [program('postgres'), '-D', data, '-p', String(port), '-k', folder];
    const child = spawn('/bin/sh', ['-c', GUARD, 'sh', ...args], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => undefined);
    child.unref();
    pid = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    hasEnded = false;
    child.once('exit', () => (hasEnded = true));
    while (!hasEnded) {
      if (await isReady()) return true;
      await sleep(POLL_MS);
    }
    return false;
  };
  const start = async () => {
    // After SIGKILL the processes of the old server end one after the other, and a new server is refused until then.
    const end = performance.now() + SILENCE_MS;
    while (!(await startOnce())) {
      if (performance.now() >= end) throw new Error(`PostgreSQL does not start:\n${readFileSync(log, 'utf8')}`);
      await sleep(POLL_MS);
    }
  };
  const waitForEnd = async () => {
    const end = performance.now() + SILENCE_MS;
    while (!hasEnded) {
      if (performance.now() >= end) throw new Error(`PostgreSQL does not end:\n${readFileSync(log, 'utf8')}`);
      await sleep(POLL_MS);
    }
  };

  const initialise = async () => {
    write(path.join(folder, 'password'), password);
    const auth = ['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${path.join(folder, 'password')}`];
    const args = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync', ...auth];
    await run(program('initdb'), args, options);
  };

  const cluster = {
    version: postgres.version,
    folder,
    password,
    get port() {
      return port;
    },
    get pid() {
      return pid;
    },
    /** The address of a database over TCP. `at` replaces the port, for a proxy. */
    url: (database = 'postgres', at = port) => `postgres://postgres:${password}@127.0.0.1:${at}/${database}`,
    query,
    createDatabase: async () => {
      const name = `d${String(++databases)}`;
      await query(`CREATE DATABASE ${name}`);
      return name;
    },
    start,
    /** Ends the server as an administrator does: its connections are closed, nothing is lost. */
    stop: async () => {
      signal('SIGINT');
      await waitForEnd();
    },
    restart: async () => {
      await cluster.stop();
      await start();
    },
    /** Ends the server with SIGKILL; it has no time to write anything. */
    kill: async () => {
      signal('SIGKILL');
      await waitForEnd();
    },
    baseBackup: async () => {
      const backup = mkdtempSync(path.join(folder, 'backup-'));
      if (owner !== undefined) chownSync(backup, owner.uid, owner.gid);
      const server = ['-h', folder, '-p', String(port), '-U', 'postgres'];
      await run(
        program('pg_basebackup'),
        [...server, '-D', backup, '-X', 'stream', '-c', 'fast', '--no-sync'],
        options,
      );
      return async () => {
        await cluster.stop();
        rmSync(data, { recursive: true });
        renameSync(backup, data);
        await start();
      };
    },
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    removeNow,
    /** Ends the server and removes all its files. */
    remove: async () => {
      signal('SIGQUIT');
      await waitForEnd();
      removeNow();
    },
  };
  let databases = 0;
  running.add(cluster);
  try {
    if (template !== undefined && existsSync(template)) await run('cp', ['-a', template, data]);
    else {
      await initialise();
      if (template !== undefined) await leaveTemplate(data, template);
    }
    port = await freePort();
    if (tls !== undefined) {
      write(path.join(data, 'server.crt'), tls.certificate);
      write(path.join(data, 'server.key'), tls.key);
    }
    const conf = {
      listen_addresses: '127.0.0.1',
      fsync: durable ? 'on' : 'off',
      full_page_writes: durable ? 'on' : 'off',
      shared_buffers: '64MB',
      max_connections: 100,
      ssl: tls === undefined ? 'off' : 'on',
      ...settings,
    };
    const lines = Object.entries(conf).map(([name, value]) => `${name} = '${value}'\n`);
    write(path.join(data, 'postgresql.auto.conf'), lines.join(''));
    await start();
    return cluster;
  } catch (error) {
    removeNow();
    throw error;
  }
}
