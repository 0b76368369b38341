import { inject } from 'vitest';
import { installedPython, installPackages, type PythonPackages } from './install-packages.mjs';

/**
 * Returns a Python that has some modules: that of this machine, or a virtual environment in the cache of this checkout, which
 * is made once. Returns undefined, and prints a note, where neither works.
 */
export async function findPython(packages: PythonPackages): Promise<string | undefined> {
  const trouble = await installPackages(packages, inject('callerEnvironment'));
  if (trouble !== undefined)
    console.log(
      `note: ${packages.packages.join(', ')} cannot be installed, the tests that need it are skipped: ${trouble}`,
    );
  return installedPython(packages);
}
