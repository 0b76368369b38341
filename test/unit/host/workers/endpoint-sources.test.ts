import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endpointSource } from '../../../../src/host/workers/endpoint-sources.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

function sources() {
  const cwd = temporaryDirectory();
  for (const name of ['up.mjs', 'my worker.cjs', 'up.py', 'my worker.py', 'run', 'UP.PY'])
    writeFileSync(join(cwd, name), '');
  const at = (name: string): string => join(cwd, name).replace(/\/$/, '');
  return { at, read: (text?: string) => endpointSource('up', text, { cwd, python: 'py', runner: '/runner' }) };
}

describe('what serves an endpoint', () => {
  test.each(['up.mjs', './up.mjs', 'my worker.cjs'])('%s is a module', (name) => {
    const { at, read } = sources();
    expect(read(name)).toEqual({ kind: 'module', path: at(name) });
  });

  test.each(['up.py', './up.py', 'my worker.py', 'UP.PY'])('%s is run by Python', (name) => {
    const { at, read } = sources();
    expect(read(name)).toEqual({ kind: 'command', command: ['py', '/runner', at(name)], cwd: at('') });
  });

  test.each([
    'python3 up.py',
    'node up.mjs',
    './run',
    'run --fast',
    'A=1 run',
    'exec ./run',
    'python3 -m worker --file x.py',
  ])('%s is the command line of a worker', (text) => {
    const { at, read } = sources();
    expect(read(text)).toEqual({ kind: 'command', command: text, cwd: at('') });
  });

  test.each(['exec: tr a-z A-Z', 'exec:tr a-z A-Z'])('%s is a command for each job', (text) => {
    const { at, read } = sources();
    expect(read(text)).toEqual({ kind: 'exec', command: 'tr a-z A-Z', cwd: at('') });
  });

  test.each([
    ['missing.mjs', 'the handler module of endpoint "up" does not exist: missing.mjs'],
    ['missing.py', 'the Python file of endpoint "up" does not exist: missing.py'],
  ])('%s is refused', (text, message) => {
    expect(() => sources().read(text)).toThrow(expect.objectContaining({ message, exit: 2 }));
  });
});
