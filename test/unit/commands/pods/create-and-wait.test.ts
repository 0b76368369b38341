import { expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

test('create --wait of a pod that ends in ERROR names what says why, and what ends its cost', async () => {
  const account = createAccount();
  const ran = await account('pods create --name lab --gpu GPU-24G --image a/does-not-start --wait', { columns: 400 });
  expect(ran.code, ran.err).toBe(10);
  expect(ran.err).toMatch(
    /error: pod (\S+) is ERROR, not reachable\n.*Run berth --local pods explain \1, then berth --local pods terminate \1\n/,
  );
});

test.each([
  'insufficient capacity',
  'no available machine in this region',
  'GPU-24G is out of stock',
  'something went wrong: no resources to deploy your pod',
])('create goes on with the next GPU type after a 400 "%s"', async (detail) => {
  const account = createAccount();
  await local(account, `local fault add refuse --count 1 --detail '${detail}'`);
  const id = await local(account, 'pods create lab --gpu GPU-24G --gpu GPU-48G --image a/b --disk 20 -o id');
  expect(await local(account, `pods get ${id} --json`)).toContain('GPU-48G');
});

test.each([
  ['GPU-24H', true],
  ['GPU-24G', false],
])('a refused create with GPU %s names the one that may be meant: %s', async (gpu, isNamed) => {
  const account = createAccount();
  await local(account, "local fault add refuse --count 1 --detail 'this cannot be'");
  const { code, err } = await account(`pods create lab --gpu ${gpu} --image a/b`);
  expect([code, err.includes('Did you mean GPU-24G?')]).toEqual([5, isNamed]);
});
