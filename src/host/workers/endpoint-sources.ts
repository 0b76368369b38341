import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, usage } from '../../core/failure.ts';
import type { EndpointSource } from '../../local/index.ts';
import { absolutePath } from '../files/absolute-path.ts';

/** The extensions of files that are loaded as a handler module. */
const MODULE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

export interface SourceContext {
  readonly cwd: string;
  /** The program that runs `.py` files. */
  readonly python: string;
  /** The path of the runner that serves `.py` files. */
  readonly runner: string;
}

/**
 * What `--endpoint NAME=TEXT` means. `exec: COMMAND` is a command for each job. The path of a file with the extension of a
 * JavaScript module is a module, and that of a `.py` file is run by Python; a path without spaces is meant as a file even
 * when there is none. Any other text is a command line of a worker. Without text only attached workers serve the endpoint.
 * Fails with usage (2) when the file does not exist, or is a directory.
 */
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
