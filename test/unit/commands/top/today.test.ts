import { expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

interface TopRow {
  readonly name: string;
  readonly kind: string;
  readonly costToday: number | null;
}

/** An account with a cluster of two pods that ran for two hours. */
async function accountWithCluster(): Promise<Account> {
  const account = createAccount();
  await local(
    account,
    'clusters create --name c --type TRAINING --gpu GPU-80G --gpu-count 8 --pods 2 --image a/b --yes',
  );
  await local(account, 'local clock advance 2h');
  return account;
}

async function billedToday(account: Account, report: string): Promise<number> {
  const { metadata } = JSON.parse(await local(account, `billing summary ${report} --last 1 --json`)) as {
    readonly metadata: { readonly totals: { readonly totalAmount: number } };
  };
  return metadata.totals.totalAmount;
}

test('what was billed today, of an account with a cluster: the cluster is billed, and not its pods', async () => {
  const account = await accountWithCluster();
  const rows = JSON.parse(await local(account, 'top --once --json')) as readonly TopRow[];
  const spent = (name: RegExp) => rows.filter((row) => name.test(row.name)).map(({ costToday }) => costToday);
  expect(spent(/^c-/)).toEqual([null, null]);
  expect(spent(/^train-llm$/)).toEqual([expect.any(Number)]);
  const frame = await local(account, 'top --once');
  expect([...frame.matchAll(/^ {2}c-\S+ .*/gm)].map(([line]) => / - +\d+\w$/.test(line))).toEqual([true, true]);
  for (const [what, report] of [
    ['', ''],
    ['endpoints ', '--by endpoint'],
  ] as const)
    expect(await local(account, `top ${what}--once`)).toContain(
      `/h  $${(await billedToday(account, report)).toFixed(2)} today`,
    );
});
