import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

/** The status of each worker of an endpoint. */
const workersOf = async (account: ReturnType<typeof createAccount>, endpoint: string): Promise<string> =>
  await local(account, `endpoints workers ${endpoint} --jq 'map(.status) | join(",")' --raw`);

describe('berth local stock', () => {
  test('sets what is free in one data center or in all that have it, and clear sets it back', async () => {
    const account = createAccount();
    const before = await local(account, 'local stock list');
    expect(await local(account, 'local stock set GPU-192G 0')).toBe(
      'HARDWARE\tDATA CENTER\tFREE\nGPU-192G\tEU-WEST-1\t0',
    );
    await local(account, 'local stock set GPU-24G 1 --data-center ASIA-1');
    expect(await local(account, 'local stock list --jq \'map(select(.hardware=="GPU-24G").free)\' -o jsonl')).toBe(
      '[40,24,16,9,1]',
    );
    await local(account, 'local stock clear');
    expect(await local(account, 'local stock list')).toBe(before);
  });

  test.each([
    ['hardware that is not there', 'GPU-1 0', 5, /unknown hardware GPU-1: one of GPU-16G/],
    ['a data center that is not there', 'GPU-24G 0 --data-center MOON', 5, /unknown data center MOON/],
    ['a number that is none', 'GPU-24G some', 2, /FREE is a whole number/],
    ['--repeat without --for', 'GPU-24G 0 --repeat 1h', 2, /--for/],
  ])('refuses %s', async (_, words, code, says) => {
    const ran = await createAccount()(`local stock set ${words}`);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
  });

  test('the catalog and the placement of pods follow it', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-192G 0');
    const availability = 'catalog gpus --jq \'map(select(.id=="GPU-192G").availability)[0]\' --raw';
    expect(await local(account, availability)).toBe('NONE');
    const create = 'pods create --name big --gpu GPU-192G --image a/b:1 -o id';
    expect((await account(create)).err).toContain('the pod cannot be placed');
    await local(account, 'local stock clear');
    await local(account, create);
  });

  const FREE = 'catalog gpus --jq \'map(select(.id=="GPU-192G").availability)[0]\' --raw';
  /** What the catalog says at each of some times, so many minutes after each other. */
  const seen = async (account: ReturnType<typeof createAccount>, minutes: readonly number[]) => {
    const levels: string[] = [];
    for (const each of minutes) {
      if (each > 0) await local(account, `local clock advance ${String(each)}m`);
      levels.push(await local(account, FREE));
    }
    return levels.join(' ');
  };

  test('--for ends a change by the clock, and what was set before counts again', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-192G low');
    await local(account, 'local stock set GPU-192G none --for 10m');
    expect(await seen(account, [0, 9, 2])).toBe('NONE NONE LOW');
  });

  test('--repeat repeats it: stock comes and goes', async () => {
    const account = createAccount();
    await local(account, 'local stock set GPU-192G none --for 20m --repeat 30m');
    expect(await seen(account, [0, 21, 10, 19, 10])).toBe('NONE MEDIUM NONE MEDIUM NONE');
  });

  test('a price is in the catalog and in what a new pod costs, for its time', async () => {
    const account = createAccount();
    await local(account, 'local stock price GPU-80G 1.50');
    await local(account, 'local stock price GPU-80G 9.25 --cloud SECURE --for 10m');
    const price = 'catalog gpus GPU-80G --jq \'"\\(.price.secure) \\(.price.community)"\' --raw';
    const cost = () => local(account, 'pods create --name big --gpu GPU-80G --gpu-count 2 --image a/b:1 --jq .cost');
    expect([await local(account, price), await cost()]).toEqual(['9.25 1.5', '18.5']);
    await local(account, 'local clock advance 11m');
    expect([await local(account, price), await cost()]).toEqual(['1.5 1.5', '3']);
    await local(account, 'local stock clear');
    expect(await local(account, price)).toBe('2.39 1.99');
    expect((await account('local stock price GPU-80G cheap')).err).toContain('DOLLARS is an amount');
  });

  test('a worker that waits is THROTTLED without stock, takes no job, and goes on when there is stock again', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-min 1');
    await local(account, 'local clock advance 2s');
    expect(await workersOf(account, 'demo')).toBe('IDLE');
    await local(account, 'local stock set cpu-general 0');
    const job = await local(account, "jobs run demo --input '{}'");
    await local(account, 'local clock advance 5s');
    expect(await workersOf(account, 'demo')).toBe('THROTTLED');
    expect(await local(account, 'health demo --jq .workers.idle')).toBe('0');
    await local(account, 'local stock clear');
    await local(account, 'local clock advance 5s');
    expect(await local(account, `jobs status demo ${job} --jq .status --raw`)).toBe('COMPLETED');
  });
});

test('an image that does not start makes workers UNHEALTHY, up to the maximum, until a release cures them', async () => {
  const account = createAccount();
  await local(account, 'endpoints update demo --image example/does-not-start:1 --workers-max 2');
  const jobs = [await local(account, "jobs run demo --input '{}'"), await local(account, "jobs run demo --input '{}'")];
  await local(account, 'local clock advance 1h');
  expect(await workersOf(account, 'demo')).toBe('UNHEALTHY,UNHEALTHY');
  await local(account, 'endpoints update demo --image example/demo:2');
  await local(account, 'local clock advance 10s');
  for (const job of jobs) expect(await local(account, `jobs status demo ${job} --jq .status --raw`)).toBe('COMPLETED');
});
