import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject, onTestFinished, test } from 'vitest';
import { checkAgainstSchemas } from '../support/schemas/check-run.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  /** The exit code; undefined where a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether the npm package is under test; otherwise it is an executable that needs no Node (see install.ts). */
export const isPackage = inject('underTest').prefix !== undefined;

/** A test of the package itself, its files or its launcher: skipped where an executable is under test. */
export const packageTest = test.skipIf(!isPackage);

/** The folder of the installed package. Fails where an executable is under test. */
export function installedAt(): string {
  const { prefix } = inject('underTest');
  if (prefix === undefined) throw new Error('an executable is under test and not the package: use packageTest');
  return path.join(prefix, 'lib/node_modules/berth');
}

/** The command `berth`, the only file of its folder. */
export const berthPath = (): string => path.join(inject('underTest').bin, 'berth');

/** The Node that runs the package; `node` of `cleanEnvironment()` is the same one. */
export const nodePath = (): string => path.join(inject('underTest').nodeBin, 'node');

/** The words that start a copy of the package that is not on the PATH. */
export const startOf = (folder: string): readonly [string, string] => [nodePath(), path.join(folder, 'bin/berth')];

/** The words that start the program under test. */
export const startLine = (): readonly string[] => (isPackage ? startOf(installedAt()) : [berthPath()]);

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-e2e-'));
  onTestFinished(async () => {
    await endProcessesOf(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/**
 * Ends the processes that have a folder in their environment. What berth does in the background may outlive a test, and would
 * make the folder again. Does nothing where there is no /proc.
 */
async function endProcessesOf(folder: string): Promise<void> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const environment = /^\d+$/.test(name) ? await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '') : '';
      return environment.includes(folder) && kill(Number(name));
    }),
  );
  if (found.some(Boolean)) await endProcessesOf(folder);
}

/** Whether the process was there and could be killed. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** An environment in which nothing of the user's is seen or touched; the files of berth are in `folder`. */
export const cleanEnvironmentIn = (folder: string): Environment => ({
  PATH: [path.dirname(nodePath()), path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter),
  HOME: folder,
  // Shared, so that only the first run of a command compiles its files.
  XDG_CACHE_HOME: inject('underTest').folder,
  BERTH_CONFIG_DIR: path.join(folder, 'config'),
  BERTH_DATA_DIR: path.join(folder, 'data'),
});

/** The same with a folder that is removed when the test ends. */
export async function cleanEnvironment(extra: Environment = {}): Promise<Environment> {
  return { ...cleanEnvironmentIn(await temporaryFolder()), ...extra };
}

/** Runs a program to its end, `input` on its standard input (closed at once where there is none). */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly input?: string; readonly cwd?: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: options.env, cwd: options.cwd, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code: code ?? undefined, stdout, stderr });
    });
    // A program that ends without reading its input is no trouble.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/**
 * Runs the installed berth, in an environment of its own unless one is given. What it prints with `--json` is checked
 * against the schemas that `berth schema` prints.
 */
export async function berth(
  args: readonly string[],
  options: { readonly env?: Environment; readonly input?: string; readonly cwd?: string } = {},
): Promise<Ended> {
  const env = options.env ?? (await cleanEnvironment());
  const ended = await runProgram(berthPath(), args, { ...options, env });
  const { code = 1, stdout, stderr } = ended;
  if (args.includes('--json')) await checkAgainstSchemas(args, { code, out: stdout, err: stderr }, env);
  return ended;
}

/** A server on a free port of this machine until the test is over. Gives its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** A server that gives every request the same JSON, and remembers what it was asked. */
export async function serveJson(
  body: unknown,
): Promise<{ readonly url: string; readonly seen: readonly IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const url = await serve((request, response) => {
    seen.push(request);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  return { url, seen };
}
