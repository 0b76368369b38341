import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2';
import type { ContainerSpec } from '../../local/index.ts';
import { signalGroup, type Watcher } from '../process/watcher.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CONTAINER_VARIABLE, type ContainerView } from './container.ts';
import { serveSftp } from './sftp.ts';

export interface SessionOptions {
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

export function serveSession(session: Session, options: SessionOptions): void {
  const { view } = options;
  let terminal: PseudoTtyInfo | undefined;
  const variables: Record<string, string> = {};
  session.on('pty', (accept, _reject, info) => {
    terminal = info;
    agree(accept);
  });
  session.on('env', (accept, _reject, { key, val }) => {
    if (/^(LANG|LC_[A-Z]+)$/.test(key)) variables[key] = val;
    agree(accept);
  });
  session.on('window-change', (accept) => {
    agree(accept);
  });
  session.on('sftp', (accept) => {
    serveSftp(accept(), view);
  });
  let running: ChildProcessWithoutNullStreams | undefined;
  session.on('signal', (accept, _reject, { name }) => {
    if (running?.pid !== undefined) signalGroup(running.pid, `SIG${name}` as NodeJS.Signals);
    agree(accept);
  });
  const run = (channel: ServerChannel, command: string | undefined): void => {
    running = startProgram(channel, commandLine(command, terminal, options), variables, options);
  };
  session.on('exec', (accept, _reject, { command }) => {
    run(accept(), command);
  });
  session.on('shell', (accept) => {
    run(accept(), undefined);
  });
}

/** The library passes no function if no answer is wanted, whatever its types say. */
const agree = (accept: (() => unknown) | undefined): void => {
  accept?.();
};

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
  variables: Readonly<Record<string, string>>,
  { runtime, watcher, spec, view, ends, mark }: SessionOptions,
): ChildProcessWithoutNullStreams {
  const { home, temporary } = view;
  const { username } = spec;
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, runtime.env[name]]));
  const env = {
    ...inherited,
    ...spec.variables,
    ...variables,
    [CONTAINER_VARIABLE]: mark,
    ...{ HOME: home, USER: username, LOGNAME: username, SHELL: '/bin/sh', TMPDIR: temporary },
  };
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
  return child;
}
