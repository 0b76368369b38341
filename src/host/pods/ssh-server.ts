import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, promises as fs, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import type { AuthContext, Connection, ParsedKey, PseudoTtyInfo, Server, ServerChannel, Session, utils } from 'ssh2';
import { boundAddress } from '../../core/addresses.ts';
import { errorCode } from '../../core/files.ts';
import { CONTAINER_VARIABLE, type ContainerView, endContainerProcesses, findOwnRoot, openView } from './container.ts';
import { serveSftp } from './sftp.ts';
import { createWatcher, signalGroup, type Watcher } from '../process/watcher.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ContainerSpec, PodContainer, StartContainer } from '../../local/index.ts';

interface SessionOptions {
  readonly runtime: Pick<Runtime, 'env' | 'platform'>;
  readonly watcher: Watcher;
  readonly spec: ContainerSpec;
  readonly view: ContainerView;
  readonly ends: Set<() => void>;
  /** The value of CONTAINER_VARIABLE. */
  readonly mark: string;
}

/** All other variables are the container's own. */
const INHERITED = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SystemRoot'];

function serveSession(session: Session, options: SessionOptions): void {
  const { view } = options;
  let terminal: PseudoTtyInfo | undefined;
  session.on('pty', (accept, _reject, info) => {
    terminal = info;
    // The library passes no function if no answer is wanted, whatever its types say.
    (accept as (() => void) | undefined)?.();
  });
  session.on('sftp', (accept) => {
    serveSftp(accept(), view);
  });
  session.on('exec', (accept, _reject, { command }) => {
    startProgram(accept(), commandLine(command, terminal, options), options);
  });
  session.on('shell', (accept) => {
    startProgram(accept(), commandLine(undefined, terminal, options), options);
  });
}

function commandLine(
  command: string | undefined,
  terminal: PseudoTtyInfo | undefined,
  { runtime: { env }, view }: SessionOptions,
): readonly string[] {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const own = view.command(command === undefined ? [shell] : [shell, '-c', command]);
  const script = terminal === undefined ? undefined : programIn(env['PATH'], 'script');
  if (terminal === undefined || script === undefined) return own;
  // `script` of util-linux gives a program its own terminal.
  const { rows, cols } = terminal;
  const inTerminal = `stty rows ${String(rows)} cols ${String(cols)}; exec "$@"`;
  const line = ['sh', '-c', inTerminal, 'sh', ...own].map(quoted).join(' ');
  return [script, '-qefc', line, '/dev/null'];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const programIn = (path: string | undefined, name: string): string | undefined =>
  (path ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** In its own process group. */
function startProgram(
  channel: ServerChannel,
  [program = '', ...args]: readonly string[],
  { runtime, watcher, spec, view, ends, mark }: SessionOptions,
): void {
  const { home, temporary } = view;
  const { username } = spec;
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, runtime.env[name]]));
  const own = { HOME: home, USER: username, LOGNAME: username, SHELL: '/bin/sh', TMPDIR: temporary };
  const env = { ...inherited, ...spec.variables, [CONTAINER_VARIABLE]: mark, ...own };
  const child = watcher.start('group', () =>
    spawn(program, args, { cwd: spec.home, env, detached: runtime.platform !== 'win32' }),
  );
  const { pid } = child;
  const end = (): void => {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  };
  ends.add(end);
  // Streams of a program or a client that has ended.
  for (const stream of [child.stdin, child.stdout, child.stderr, channel]) stream.on('error', () => undefined);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  channel.on('close', () => {
    if (pid !== undefined && child.exitCode === null) signalGroup(pid, 'SIGHUP');
  });
  child.on('error', () => {
    channel.exit(127);
    channel.end();
  });
  child.on('close', (code, signal) => {
    ends.delete(end);
    watcher.remove(child);
    if (signal === null) channel.exit(code ?? 0);
    else channel.exit(signal.slice('SIG'.length), false, '');
    channel.end();
  });
}

/** Created if missing; concurrent processes all get the same key. Rejects as the file system does. */
async function hostKeyOf(file: string, { generateKeyPairSync, parseKey }: typeof utils): Promise<string> {
  if (!existsSync(file)) {
    const own = `${file}.${randomUUID()}`;
    let key: string;
    // The package drops a leading zero byte: about 7 in 1000 of its keys cannot be read.
    do key = generateKeyPairSync('ed25519').private;
    while (parseKey(key) instanceof Error);
    await fs.writeFile(own, key, { mode: 0o600, flag: 'wx' });
    // A link appears complete and never replaces another file.
    await fs.link(own, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await fs.rm(own, { force: true });
  }
  return await fs.readFile(file, 'utf8');
}

/** True where the system does not say whose a connection is, as only Linux does. Ports of both ends. */
function isPeerOf(user: number | undefined, { peer, own }: { readonly peer: number; readonly own: number }): boolean {
  if (user === undefined || !existsSync('/proc/net/tcp')) return true;
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => local === loopback(peer) && remote === loopback(own))
    .some(([, , , , , , , uid]) => Number(uid) === user || Number(uid) === 0);
}

/** Bytes in processor order: little-endian wherever Node runs. */
const loopback = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;

const LOOPBACK = '127.0.0.1';

const LOOPBACK_NAMES = ['localhost', LOOPBACK, '::1', ''];

/** Loopback, public keys; on Linux only the same user or root, as others may know the key. No isolation. */
export function createStartContainer(runtime: Pick<Runtime, 'env' | 'platform' | 'user'>): StartContainer {
  const watcher = createWatcher(runtime);
  let found: Promise<readonly string[] | undefined> | undefined;
  const ownRoot = () => (found ??= findOwnRoot(runtime));
  return async (spec) => {
    const { default: ssh2 } = await import('ssh2');
    const allowed = spec.publicKeys.flatMap((line) => {
      const parsed = line.trim() === '' ? new Error('empty') : ssh2.utils.parseKey(line);
      return parsed instanceof Error ? [] : [parsed].flat();
    });
    const view = await openView(spec, await ownRoot());
    const hostKey = await hostKeyOf(spec.hostKeyFile, ssh2.utils);
    const connections = new Set<Connection>();
    const ends = new Set<() => void>();
    const mark = randomUUID();
    const server: Server = new ssh2.Server({ hostKeys: [hostKey] }, (client, { port: peer }) => {
      client.on('error', () => undefined);
      // The library writes a packet in two parts: the second would wait 40 ms for the first. Its types lack the function.
      (client as Connection & { setNoDelay(): void }).setNoDelay();
      if (!isPeerOf(runtime.user, { peer, own: boundAddress(server).port })) {
        client.end();
        return;
      }
      connections.add(client);
      client.on('close', () => connections.delete(client));
      client.on('authentication', (context) => {
        if (isAllowed(context, spec.username, allowed)) context.accept();
        else context.reject(['publickey']);
      });
      client.on('session', (accept) => {
        serveSession(accept(), { runtime, watcher, spec, view, ends, mark });
      });
      client.on('tcpip', (accept, reject, { destIP, destPort }) => {
        if (LOOPBACK_NAMES.includes(destIP)) forwardTo(destPort, accept, reject);
        else reject();
      });
    });
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    return {
      port: boundAddress(server).port,
      stop: async () => {
        const closed = new Promise((resolve) => server.close(resolve));
        for (const end of ends) end();
        for (const client of connections) client.end();
        await closed;
        await endContainerProcesses(mark);
      },
    } satisfies PodContainer;
  };
}

/** The first request only asks whether a key would be accepted. */
function isAllowed(context: AuthContext, username: string, allowed: readonly ParsedKey[]): boolean {
  if (context.method !== 'publickey' || context.username !== username) return false;
  const { key, signature, blob, hashAlgo } = context;
  const found = allowed.find((each) => each.type === key.algo && each.getPublicSSH().equals(key.data));
  if (found === undefined) return false;
  if (signature === undefined || blob === undefined) return true;
  return found.verify(blob, signature, hashAlgo);
}

function forwardTo(port: number, accept: () => ServerChannel, reject: () => void): void {
  const socket = connect({ host: LOOPBACK, port });
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    const channel = accept();
    socket.on('error', () => channel.destroy());
    channel.on('error', () => socket.destroy());
    channel.on('close', () => socket.destroy());
    channel.pipe(socket).pipe(channel);
  });
}
