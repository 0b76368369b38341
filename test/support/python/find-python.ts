import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

export interface PythonPackages {
  /** The name of the virtual environment. */
  readonly name: string;
  /** Modules that must be there. */
  readonly modules: readonly string[];
  /** Packages of the package index that have them, with their versions. */
  readonly packages: readonly string[];
}

const INSTALL_TIMEOUT_MS = 180_000;

/**
 * Returns a Python that has some modules: that of this machine, or a virtual environment in the cache of this checkout, which
 * is made once. Returns undefined, and prints a note, where neither works.
 */
export function findPython({ name, modules, packages }: PythonPackages): string | undefined {
  const cached = path.resolve('node_modules/.cache', name);
  const cachedPython = path.join(cached, 'bin/python');
  for (const python of ['python3', cachedPython])
    try {
      run(python, '-c', `import ${modules.join(', ')}`);
      return python;
    } catch {
      // There is no Python, or it does not have the modules.
    }
  // Renamed when it is complete: several test files may make one.
  const environment = `${cached}-${String(process.pid)}`;
  try {
    run('python3', '-m', 'venv', environment);
    run(path.join(environment, 'bin/pip'), 'install', '--quiet', ...packages);
    renameSync(environment, cached);
  } catch (error) {
    rmSync(environment, { recursive: true, force: true });
    if (existsSync(cached)) return cachedPython;
    const [reason = ''] = String(error).split('\n');
    console.log(`note: ${packages.join(', ')} cannot be installed, the tests that need it are skipped: ${reason}`);
    return undefined;
  }
  return cachedPython;
}

const run = (file: string, ...args: readonly string[]): void => {
  execFileSync(file, args, { stdio: 'pipe', timeout: INSTALL_TIMEOUT_MS });
};
