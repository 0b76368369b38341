import { fstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../core/context.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { checkHandlerModule, type EndpointSource, type LocalService, type StartProcess } from '../../local/index.ts';
import { absolutePath } from '../files/user-files.ts';

export type Sources = Readonly<Record<string, EndpointSource>>;

const MODULE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

interface SourceContext {
  readonly cwd: string;
  /** Runs `.py` files. */
  readonly python: string;
  /** Serves `.py` files. */
  readonly runner: string;
}

/** `exec: COMMAND` per job; a .js-like file is a module, .py is run by Python; else a command line. */
export function endpointSource(endpoint: string, text: string | undefined, context: SourceContext): EndpointSource {
  const { cwd, python, runner } = context;
  if (text === undefined) return { kind: 'attach' };
  const exec = /^exec:(.*)$/s.exec(text)?.[1]?.trim();
  if (exec === '')
    throw usage(`--endpoint ${endpoint}=exec: needs a command`, `--endpoint ${endpoint}='exec: ./run.sh'`);
  if (exec !== undefined) return { kind: 'exec', command: exec, cwd };
  const path = text.startsWith('file:') ? fileURLToPath(text) : absolutePath({ cwd }, text);
  const extension = extname(path).toLowerCase();
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true)
    throw usage(`endpoint "${endpoint}": ${text} is a directory`, 'Name a file, or a command line.');
  const isFile = found !== undefined || text.startsWith('file:') || !/\s/.test(text);
  const missing = (what: string): Failure => usage(`the ${what} of endpoint "${endpoint}" does not exist: ${text}`);
  if (isFile && MODULE_EXTENSIONS.includes(extension)) {
    if (found === undefined) throw missing('handler module');
    return { kind: 'module', path };
  }
  if (isFile && extension === '.py') {
    if (found === undefined) throw missing('Python file');
    return { kind: 'command', command: [python, runner, path], cwd };
  }
  return { kind: 'command', command: text, cwd };
}

/** A slower program, for example one that loads a model, is accepted unchecked. */
const CHECK_TIMEOUT_MS: Milliseconds = 10_000;

/** A broken one fails now (2) and not with every job. */
export async function checkSources(sources: Sources, clock: Clock, startProcess: StartProcess): Promise<void> {
  const timeout = clock.deadline(CHECK_TIMEOUT_MS);
  try {
    await Promise.all(
      Object.entries(sources).map(async ([endpoint, source]) => {
        if (source.kind === 'module') await checkModule(endpoint, source.path, timeout.signal);
        else if (source.kind === 'command' && typeof source.command !== 'string')
          await checkPythonFile(endpoint, source.command, source.cwd, startProcess, timeout.signal);
      }),
    );
  } finally {
    timeout.cancel();
  }
}

const EXPORT_HINT =
  'A handler module exports a function or an async generator, as default or as `handler`: export default async (input) => ({ ok: true });';

async function checkModule(endpoint: string, path: string, timeout: AbortSignal): Promise<void> {
  const problem = await checkHandlerModule(path, timeout);
  if (problem !== undefined)
    throw usage(`endpoint "${endpoint}": ${problem.includes(path) ? '' : `${path}: `}${problem}`, EXPORT_HINT);
}

/** Does not run it. */
async function checkPythonFile(
  endpoint: string,
  [python = '', runner = '', file = '']: readonly string[],
  cwd: string,
  startProcess: StartProcess,
  timeout: AbortSignal,
): Promise<void> {
  let printed = '';
  const process = startProcess({
    command: [python, runner, '--check', file],
    cwd,
    env: {},
    onStdout: () => undefined,
    onStderr: (text) => {
      printed = (printed + text).slice(0, 4000);
    },
  });
  timeout.addEventListener('abort', () => void process.stop(), { once: true });
  const { code, error } = await process.ended;
  if (error !== undefined)
    throw usage(
      `endpoint "${endpoint}": ${JSON.stringify(python)} cannot be run: ${error}`,
      'Install Python 3.8 or newer, or name the program with --python PATH.',
    );
  if (code !== undefined && code !== 0)
    throw usage(`endpoint "${endpoint}": Python cannot read ${file}`, printed.trim());
}

/** Text for a reader of stderr that does not read. */
const MAX_WAITING_BYTES: Bytes = 4_000_000;

/** Escaped for a terminal. Lines that nobody reads are dropped and counted, not kept in memory. */
export function workerLog(stderr: Writable): (endpoint: string, text: string) => void {
  let leftOut = 0;
  return (endpoint, text) => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) {
      if (stderr.writableLength > MAX_WAITING_BYTES) leftOut += 1;
      else {
        if (leftOut > 0) stderr.write(`(${String(leftOut)} lines of workers left out: nothing read them)\n`);
        leftOut = 0;
        stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
      }
    }
  };
}

/** For changes beside the handler, or in the directory of the command; but not of `ownFiles`, also as prefixes. */
export async function watchSources(
  stderr: Writable,
  sources: Sources,
  ownFiles: readonly string[],
  service: LocalService,
): Promise<() => void> {
  const { watchFiles } = await import('./watch-files.ts');
  const byFolder = new Map<string, string[]>();
  for (const [name, source] of Object.entries(sources)) {
    const folder = folderOf(source);
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), name]);
  }
  // They may be redirected to files, which change with everything that is printed.
  const outputs = [1, 2].flatMap((descriptor) => {
    try {
      return [fstatSync(descriptor)];
    } catch {
      return [];
    }
  });
  const ends = [...byFolder].map(([folder, endpoints]) =>
    watchFiles(folder, {
      isOwn: (path, stats) =>
        ownFiles.some((each) => path.startsWith(each)) ||
        outputs.some((each) => each.dev === stats?.dev && each.ino === stats.ino),
      onChange: (file) => {
        for (const endpoint of endpoints)
          stderr.write(
            `[${safeText(endpoint)}] ${safeText(file)} has changed: the workers are replaced, each after the jobs that it has.\n`,
          );
        // The next request fails with the same file error, and its caller is told.
        void service.reload(endpoints).catch(() => undefined);
      },
      onUnwatched: (reason) => {
        stderr.write(
          `Not every file in ${safeText(folder)} is watched: ${safeText(reason)}. Lines in .gitignore exclude what does not matter, or put the handler into a directory of its own.\n`,
        );
      },
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}

/** Undefined when there is nothing to watch. */
function folderOf(source: EndpointSource): string | undefined {
  if (source.kind === 'attach') return undefined;
  if (source.kind === 'module') return dirname(realpathSync(source.path));
  const file = typeof source.command === 'string' ? undefined : source.command.at(-1);
  return file === undefined ? realpathSync(source.cwd) : dirname(realpathSync(file));
}
