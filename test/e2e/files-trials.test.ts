import path from 'node:path';
import { expect, test } from 'vitest';
import { findPython } from '../support/python/find-python.ts';
import { STORAGE } from '../support/python/install-packages.mjs';
import { berthPath, cleanEnvironment, nodePath, runProgram, temporaryFolder } from './support.ts';

const TRIALS = path.join(import.meta.dirname, '../files-trials/run.mjs');

/** The short form of `npm run files-trials`. */
test('copies through a network that fails, with kills and full disks, end with every byte in its place', async () => {
  const cwd = await temporaryFolder();
  const python = await findPython(STORAGE);
  const env = await cleanEnvironment(python === undefined ? {} : { STORAGE_PYTHON: python });
  const target = python === undefined ? 'local' : 'local,moto';
  const args = [TRIALS, '--short', '--rounds', '2', '--target', target, '--program', berthPath()];
  const { code, stdout } = await runProgram(nodePath(), args, { env, cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining('all rounds are ok')]);
}, 600_000);
