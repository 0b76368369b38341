import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { canTestWorkers } from './support.ts';

/** The public worker library of a service, where a file beside the checkout names one. */
export interface Library {
  readonly package: string;
  readonly version: string;
  readonly prefix: string;
}

const FILE = path.resolve(import.meta.dirname, '../../../../shared/contract/worker-library.json');

/** Undefined where no file names a library, and where workers cannot be tested. */
export const readLibrary = (): Library | undefined =>
  canTestWorkers && existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Library) : undefined;

/** Installs the library in a temporary folder for the tests of a file. Returns the path of its Python, empty when that failed. */
export function installLibrary({ package: name, version }: Library): () => string {
  let environment = '';
  let python = '';
  beforeAll(() => {
    environment = mkdtempSync(path.join(tmpdir(), 'berth-library-'));
    try {
      execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe', timeout: 300_000 });
      const pip = path.join(environment, 'bin/pip');
      execFileSync(pip, ['install', '--quiet', `${name}==${version}`], { stdio: 'pipe', timeout: 300_000 });
      python = path.join(environment, 'bin/python');
    } catch (error) {
      const reason = String(error).split('\n')[0] ?? '';
      console.log(`note: the worker library is not installed, its tests are skipped: ${reason}`);
    }
  }, 600_000);
  afterAll(() => {
    if (environment !== '') rmSync(environment, { recursive: true, force: true });
  });
  return () => python;
}

/** Flags of `local serve` and `local exec` that run workers with the library. */
export const libraryFlags = (python: string, { prefix }: Library): readonly string[] => [
  '--python',
  python,
  '--worker-prefix',
  prefix,
];

/** Python that imports the library as `worker`. */
export const importLibrary = ({ package: name }: Library): string =>
  `import importlib\nworker = importlib.import_module("${name}.serverless")\n`;
