import { expect } from 'vitest';
import type { Account } from '../../../support/worlds/local-account.ts';

/** What `explain -o json` prints. */
interface Explained {
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
