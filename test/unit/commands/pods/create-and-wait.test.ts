import { expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

test('create --wait of a pod that ends in ERROR says why, that it goes on costing, and what ends that', async () => {
  const account = createAccount();
  const ran = await account('pods create --name lab --gpu GPU-24G --image a/does-not-start --wait', { columns: 400 });
  expect(ran.code, ran.err).toBe(10);
  expect(ran.err).toMatch(/pod pod-\w+ is ERROR: it will not become reachable by itself\./);
  expect(ran.err).toMatch(/Why: berth --local pods explain pod-\w+/);
  expect(ran.err).toMatch(
    /Still paid: pod pod-\w+ \(lab\), ERROR, \$0\.69 an hour: berth --local pods terminate pod-\w+/,
  );
});
