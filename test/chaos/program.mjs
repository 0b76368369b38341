/** The program under test, packed as it is published and unpacked; a copy can be replaced while it runs. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { sleep } from './processes.mjs';

/** Packs the project and unpacks the archive in `folder`. Returns the folder of the program. */
export async function unpackProgram(root, folder) {
  await mkdir(folder, { recursive: true });
  const quiet = { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] };
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], quiet);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error('npm pack created no archive');
  execFileSync('tar', ['-xzf', path.join(folder, archive), '-C', folder]);
  return path.join(folder, 'package');
}

/** A copy of the program that can be replaced while it runs. */
export async function createInstall(program, folder) {
  const place = path.join(folder, 'berth');
  const [next, old] = [`${place}.next`, `${place}.old`];
  await cp(program, place, { recursive: true });
  await cp(program, next, { recursive: true });
  return {
    command: [process.execPath, path.join(place, 'bin/berth')],
    /** Replaces the program with an identical copy, as a package manager does; it is missing for `gapMs`. */
    upgrade: async (gapMs) => {
      await rename(place, old);
      if (gapMs > 0) await sleep(gapMs);
      await rename(next, place);
      await rm(old, { recursive: true, force: true });
      await cp(program, next, { recursive: true });
    },
  };
}
