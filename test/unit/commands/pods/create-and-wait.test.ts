import { expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

test('create --wait of a pod that ends in ERROR names what says why, and what ends its cost', async () => {
  const account = createAccount();
  const ran = await account('pods create --name lab --gpu GPU-24G --image a/does-not-start --wait', { columns: 400 });
  expect(ran.code, ran.err).toBe(10);
  expect(ran.err).toMatch(
    /error: pod (\S+) is ERROR, not reachable\n.*Run berth --local pods explain \1, then berth --local pods terminate \1\n/,
  );
});
