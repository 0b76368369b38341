import { statSync } from 'node:fs';
import type { Clock } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { checkHandlerModule, type EndpointSource, type StartProcess } from '../../local/index.ts';
import { absolutePath } from '../files/user-files.ts';

export type Sources = Readonly<Record<string, EndpointSource>>;

const MODULE = /\.[mc]?[jt]s$/i;

interface SourceContext {
  readonly cwd: string;
  /** The program and the file that serve `.py` files. */
  readonly python: string;
  readonly runner: string;
}

/** `exec: COMMAND` per job; a .js-like file is a module, .py is run by Python; else a command line. */
export function endpointSource(endpoint: string, text: string | undefined, context: SourceContext): EndpointSource {
  const { cwd, python, runner } = context;
  if (text === undefined) return { kind: 'attach' };
  const exec = /^exec:(.*)$/s.exec(text)?.[1]?.trim();
  if (exec !== undefined) return { kind: 'exec', command: exec, cwd };
  const path = absolutePath({ cwd }, text);
  const found = statSync(path, { throwIfNoEntry: false });
  const isPython = /\.py$/i.test(text);
  // With a space it is a file only where there is one.
  if ((!isPython && !MODULE.test(text)) || (found === undefined && /\s/.test(text)))
    return { kind: 'command', command: text, cwd };
  if (found === undefined)
    throw usage(`the ${isPython ? 'Python file' : 'handler module'} of endpoint "${endpoint}" does not exist: ${text}`);
  return isPython ? { kind: 'command', command: [python, runner, path], cwd } : { kind: 'module', path };
}

/** A slower program, for example one that loads a model, is accepted unchecked. */
const CHECK_TIMEOUT_MS: Milliseconds = 10_000;

/** A broken one fails now (2) and not with every job. */
export async function checkSources(sources: Sources, clock: Clock, startProcess: StartProcess): Promise<void> {
  const timeout = new AbortController();
  const cancel = clock.deadline(CHECK_TIMEOUT_MS, timeout.abort.bind(timeout));
  try {
    await Promise.all(
      Object.entries(sources).map(async ([endpoint, source]) => {
        if (source.kind === 'module') await checkModule(endpoint, source.path, timeout.signal);
        else if (source.kind === 'command' && typeof source.command !== 'string')
          await checkPythonFile(endpoint, source.command, source.cwd, startProcess, timeout.signal);
      }),
    );
  } finally {
    cancel();
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

/** Escaped for a terminal. */
export const workerLog =
  (stderr: { write(text: string): unknown }) =>
  (endpoint: string, text: string): void => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/))
      stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
  };
