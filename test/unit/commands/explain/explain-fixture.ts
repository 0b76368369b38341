import { expect } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

/** What `explain -o json` prints. */
export interface Explained {
  readonly verdict: string;
  readonly code: string;
  readonly state: string;
  readonly evidence: readonly { readonly fact: string; readonly value: string; readonly source: string }[];
  readonly cure: readonly string[];
}

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
