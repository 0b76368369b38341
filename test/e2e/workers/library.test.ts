import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { jobCount, serveBatch, timeFor } from './batch.ts';
import { libraryWorker, SHAPES } from './shapes.ts';
import { canTestWorkers, folderWith } from './support.ts';

/** The public worker library of a service, where a file beside the checkout names one. */
interface Library {
  readonly package: string;
  readonly version: string;
  readonly prefix: string;
}

const FILE = path.resolve(import.meta.dirname, '../../../../shared/contract/worker-library.json');

function readLibrary(): Library | undefined {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Library) : undefined;
}

const library = canTestWorkers ? readLibrary() : undefined;

describe.skipIf(library === undefined)('the public worker library serves a batch', () => {
  let environment = '';
  let python = '';
  beforeAll(() => {
    environment = mkdtempSync(path.join(tmpdir(), 'berth-library-'));
    const run = (...args: readonly string[]): void => {
      execFileSync(args[0] ?? '', args.slice(1), { stdio: 'pipe', timeout: 300_000 });
    };
    try {
      run('python3', '-m', 'venv', environment);
      run(
        path.join(environment, 'bin/pip'),
        'install',
        '--quiet',
        `${library?.package ?? ''}==${library?.version ?? ''}`,
      );
      python = path.join(environment, 'bin/python');
    } catch (error) {
      console.log(
        `note: the worker library is not installed, its tests are skipped: ${String(error).split('\n')[0] ?? ''}`,
      );
    }
  }, 600_000);
  afterAll(() => {
    rmSync(environment, { recursive: true, force: true });
  });

  test.for(SHAPES.map((shape) => [shape.name, shape] as const))(
    '%s',
    { timeout: timeFor(180_000) },
    async ([, shape], { skip }) => {
      if (python === '') skip('the worker library is not installed');
      const folder = await folderWith({ 'worker.py': libraryWorker(shape, library?.package ?? '') });
      await serveBatch(folder, shape, jobCount(5), ['--python', python, '--worker-prefix', library?.prefix ?? '']);
    },
  );
});
