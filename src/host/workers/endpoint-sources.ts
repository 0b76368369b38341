import { statSync } from 'node:fs';
import { extname } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Failure, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { absolutePath } from '../files/user-files.ts';
import type { EndpointSource } from '../../local/index.ts';

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
  const found = kindOfFile(path);
  if (found === 'directory')
    throw usage(`endpoint "${endpoint}": ${text} is a directory`, 'Name a file, or a command line.');
  const isFile = found === 'file' || text.startsWith('file:') || !/\s/.test(text);
  if (isFile && MODULE_EXTENSIONS.includes(extension)) {
    if (found === undefined) throw missing('handler module', endpoint, text);
    return { kind: 'module', path };
  }
  if (isFile && extension === '.py') {
    if (found === undefined) throw missing('Python file', endpoint, text);
    return { kind: 'command', command: [python, runner, path], cwd };
  }
  return { kind: 'command', command: text, cwd };
}

const missing = (what: string, endpoint: string, text: string): Failure =>
  usage(`the ${what} of endpoint "${endpoint}" does not exist: ${text}`);

function kindOfFile(path: string): 'file' | 'directory' | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return stat.isDirectory() ? 'directory' : 'file';
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
