import { describe, expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

/** The use of `pod-train`: of its two GPUs, its CPU and its memory. */
const useOf = async (account: Account): Promise<unknown> =>
  JSON.parse(
    await local(account, "pods get pod-train --json --jq '.runtime | [.gpus[].util, .cpu.util, .memory.util]'"),
  ) as unknown;

describe('berth local pods use', () => {
  test('sets what a pod uses, of each of its GPUs, and it stays so on the clock', async () => {
    const account = createAccount();
    expect(await useOf(account)).not.toEqual([0, 0, 1, 2]);
    const set = 'local pods use train-llm --gpu 0 --cpu 1 --memory 2 --json';
    expect(JSON.parse(await local(account, set))).toEqual({ pod: 'pod-train', gpu: 0, cpu: 1, memory: 2 });
    await local(account, 'local clock advance 3h');
    expect(await useOf(account)).toEqual([0, 0, 1, 2]);
  });

  test('lets what is not given vary, and everything after its time and without a flag', async () => {
    const account = createAccount();
    await local(account, 'local clock advance 1m');
    const varying = await useOf(account);
    await local(account, 'local pods use pod-train --gpu 0 --cpu 0 --memory 0 --for 4m');
    expect(await useOf(account)).toEqual([0, 0, 0, 0]);
    await local(account, 'local clock advance 4m');
    expect(await useOf(account)).toEqual(varying);
    await local(account, 'local pods use pod-train --gpu 100');
    expect(await useOf(account)).toEqual([100, 100, ...(varying as readonly number[]).slice(2)]);
    await local(account, 'local pods use pod-train');
    expect(await useOf(account)).toEqual(varying);
  });
});
