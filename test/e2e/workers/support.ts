import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { isGroupAlive } from '../../../src/host/process/watcher.ts';
import { berthPath, cleanEnvironment, runProgram, type Ended, type Environment } from '../support.ts';

/** Tests of Python workers are skipped where there is no Python. */
export const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;

/** Processes have groups on the systems of POSIX only. */
export const canTestWorkers = hasPython && process.platform !== 'win32';

export interface Folder {
  readonly path: string;
  readonly env: Environment;
  at(name: string): string;
  has(name: string): boolean;
  read(name: string): string;
  /** The lines of a file; none when there is no file yet. */
  lines(name: string): readonly string[];
  write(name: string, text: string): void;
}

/** A folder with these files, and an environment in which `berth` is the installed program. Gone when the test is over. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<Folder> {
  const clean = await cleanEnvironment();
  const folder = clean['HOME'] ?? '';
  const at = (name: string): string => path.join(folder, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  const read = (name: string): string => readFileSync(at(name), 'utf8');
  const has = (name: string): boolean => existsSync(at(name));
  return {
    path: folder,
    env: { ...clean, PATH: `${path.dirname(berthPath())}${path.delimiter}${clean['PATH'] ?? ''}` },
    at,
    has,
    read,
    lines: (name) =>
      has(name)
        ? read(name)
            .split('\n')
            .filter((line) => line !== '')
        : [],
    write: (name, text) => {
      writeFileSync(at(name), text);
    },
  };
}

/** Runs `berth local exec` with a shell script as its command. */
export const localExec = (folder: Folder, flags: readonly string[], script: string): Promise<Ended> =>
  runProgram(berthPath(), ['local', 'exec', ...flags, '--', 'sh', '-e', '-c', script], {
    env: folder.env,
    cwd: folder.path,
  });

export interface JobDocument {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: string;
}

export interface Health {
  readonly jobs: Readonly<Record<string, number>>;
  readonly workers: Readonly<Record<string, number>>;
}

/** A local service that is served by the installed program until the test is over. */
export interface ServedLocal {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  /** What it has written on stderr so far: the lines of its workers. */
  stderr(): string;
  call<T>(request: string, body?: unknown): Promise<T>;
  run(endpoint: string, input: unknown, more?: object): Promise<JobDocument>;
  status(endpoint: string, id: string): Promise<JobDocument>;
  health(endpoint: string): Promise<Health>;
  /** Sends a signal to it and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export async function serveLocal(folder: Folder, flags: readonly string[]): Promise<ServedLocal> {
  const child = spawn(berthPath(), ['local', 'serve', '--port', '0', '--no-queue-limits', ...flags], {
    env: folder.env,
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => end());
  await until(() => stdout.includes('\n') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`it was not served: ${stderr}`);
  const url = stdout.trim();
  await until(() => /BERTH_API_KEY=(\S+)/.test(stderr));
  const key = /BERTH_API_KEY=(\S+)/.exec(stderr)?.[1] ?? '';
  const call = async <T>(request: string, body?: unknown): Promise<T> => {
    const [method = '', address = ''] = request.split(' ');
    const response = await fetch(url + address, {
      method,
      headers: { Authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };
  return {
    url,
    key,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    call,
    run: (endpoint, input, more) => call(`POST /v2/${endpoint}/run`, { input, ...more }),
    status: (endpoint, id) => call(`GET /v2/${endpoint}/status/${id}`),
    health: (endpoint) => call(`GET /v2/${endpoint}/health`),
    end,
  };
}

/** Waits for something that another process does. */
export async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await pause(20);
}

/** Waits until no process of these groups runs. */
export async function untilGroupsEnd(groups: readonly number[]): Promise<void> {
  await until(() => !groups.some(isGroupAlive));
}

export { isGroupAlive };
