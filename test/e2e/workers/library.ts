import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll } from 'vitest';
import { findPython } from '../../support/python/find-python.ts';
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

/** Installs the library for the tests of a file. Returns the path of its Python, empty when that failed. */
export function installLibrary({ package: name, version }: Library): () => string {
  let python: string | undefined;
  beforeAll(async () => {
    // Its version is in the name of its folder, so that another version is another folder.
    const packages = [`${name}==${version}`];
    python = await findPython({ name: `worker-library-${version}`, modules: [name], packages });
  });
  return () => python ?? '';
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
