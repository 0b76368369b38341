import { expect } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth, type Ran } from '../../../support/worlds/run-berth.ts';
import type { TestWorldOptions } from '../../../support/worlds/test-world.ts';

/** What `explain -o json` prints. */
export interface Explained {
  readonly verdict: string;
  readonly code: string;
  readonly state: string;
  readonly evidence: readonly { readonly fact: string; readonly value: string; readonly source: string }[];
  readonly cure: readonly string[];
}

/** An account of the local service, on a clock of its own. Every command runs in a world of its own. */
export type Account = (line: string, options?: TestWorldOptions) => Promise<Ran>;

export function createAccount(): Account {
  const clock = createTestClock();
  const directory = temporaryDirectory();
  return (line, options = {}) =>
    berth(['--local', ...words(line)], { ...options, clock, env: { BERTH_DATA_DIR: directory, ...options.env } });
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

/** Explains, with the exit code of `--exit-status`. */
export async function explain(account: Account, line: string): Promise<Explained & { readonly exit: number }> {
  const ran = await account(`${line} --exit-status -o json`);
  expect(ran.err).toBe('');
  return { ...(JSON.parse(ran.out) as Explained), exit: ran.code };
}

/** One cause: how it is produced, and what is said about it. */
export interface CauseCase {
  readonly code: string;
  /** Command lines on the local service; `JOB` stands for the job that the last `jobs run` printed. */
  readonly setup: readonly string[];
  readonly ask: string;
  readonly verdict: RegExp;
  readonly state?: 'ok' | 'waiting' | 'blocked';
  readonly evidence?: readonly [fact: string, value: RegExp, source: RegExp];
  readonly cure?: RegExp;
  /** The exit code where it is not 10 for blocked and 0 otherwise. */
  readonly exit?: number;
}

/** Produces the cause in a new account and checks the explanation. */
export async function expectCause(each: CauseCase): Promise<void> {
  const account = createAccount();
  let job = '';
  for (const line of each.setup) {
    const out = await local(account, line.replaceAll('JOB', job));
    if (line.startsWith('jobs run')) job = out;
  }
  const { state = 'blocked' } = each;
  const found = await explain(account, each.ask.replaceAll('JOB', job));
  expect(found).toMatchObject({
    code: each.code,
    verdict: expect.stringMatching(each.verdict) as string,
    state,
    exit: each.exit ?? (state === 'blocked' ? 10 : 0),
  });
  if (each.cure === undefined) expect(found.cure).toEqual([]);
  else expect(found.cure.join('\n').replaceAll(job === '' ? '\n\n' : job, 'JOB')).toMatch(each.cure);
  if (each.evidence === undefined) return;
  const [fact, value, source] = each.evidence;
  expect(found.evidence).toContainEqual({
    fact,
    value: expect.stringMatching(value) as string,
    source: expect.stringMatching(source) as string,
  });
}
