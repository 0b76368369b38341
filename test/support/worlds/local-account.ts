import { expect } from 'vitest';
import type { GivenSettings } from '../../../src/local/http/operation.ts';
import { createTestClock } from '../clocks/test-clock.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';
import { berth, type Ran } from './run-berth.ts';
import type { TestWorldOptions } from './test-world.ts';

/** An account of the local service, on a clock of its own. Every command runs in a world of its own. */
export type Account = (line: string, options?: TestWorldOptions) => Promise<Ran>;

export function createAccount(clock = createTestClock(), localService: GivenSettings = {}): Account {
  const directory = temporaryDirectory();
  return (line, options = {}) =>
    berth(['--local', ...words(line)], {
      localService,
      ...options,
      clock,
      env: { BERTH_DATA_DIR: directory, ...options.env },
    });
}

/** Runs a command line, which must end 0. Returns its output. */
export async function local(account: Account, line: string): Promise<string> {
  const ran = await account(line);
  expect(ran.code, `${line}\n${ran.err}`).toBe(0);
  return ran.out.trim();
}

/** The words of a command line; JSON in single quotes is one word. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
