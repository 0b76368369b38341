/** Deadlines of pods that do not run: one that ended in ERROR, and one that is being started again. */
import { describe, expect, it, test } from 'vitest';
import { CREATE, rows, statusOf, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

/** An account with a pod `lab` in ERROR, four hours after its creation. */
async function withError(flags: string): Promise<Account> {
  const account = createAccount();
  await local(account, `pods create --gpu GPU-24G --image example/does-not-start:1 --name lab ${flags} -o id`);
  await local(account, 'local clock advance 4h');
  expect(await statusOf(account, 'lab')).toContain('ERROR');
  return account;
}

describe('a pod in ERROR', () => {
  it('whose deadline to stop is over is terminated by a guard that may terminate', async () => {
    const account = await withError('--stop-after 1h');
    expect(await rows(account, 'guard run --allow-terminate --dry-run')).toMatchObject([{ action: 'terminate' }]);
    expect(await rows(account, 'guard run')).toMatchObject([
      { action: 'report', held: 'only terminating ends its cost' },
    ]);
    expect(await rows(account, 'guard run --allow-terminate')).toMatchObject([
      { rule: 'deadline', action: 'terminate', result: 'terminated' },
    ]);
    expect((await account('pods get lab')).code).toBe(4);
  });

  it('that any other rule would stop is terminated by it too', async () => {
    const account = await withError('');
    expect(await rows(account, 'guard run --max-age 1h --match lab --allow-terminate')).toMatchObject([
      { rule: 'max-age', action: 'terminate', result: 'terminated' },
    ]);
  });

  it('keeps its persistent mount: a stop never deletes data', async () => {
    const account = await withError('--stop-after 1h --persistent-size 20');
    expect(await rows(account, 'guard run --allow-terminate')).toMatchObject([
      { action: 'report', held: expect.stringContaining('would delete its persistent mount') as string },
    ]);
    expect(await statusOf(account, 'lab')).toContain('ERROR');
  });

  it('with a persistent mount is terminated by its deadline to terminate', async () => {
    const account = await withError('--stop-after 1h --terminate-after 2h --persistent-size 20');
    expect(await rows(account, 'guard run --allow-terminate')).toMatchObject([{ result: 'terminated' }]);
  });
});

describe('a pod that is being started again', () => {
  const starting = async (): Promise<Account> => {
    const account = await withLab();
    await local(account, 'pods stop lab');
    await local(account, 'pods update lab --stop-after 1s');
    await local(account, 'pods start lab');
    expect(await statusOf(account, 'lab')).toContain('PROVISIONING');
    return account;
  };

  it('is left alone until it runs, and then stopped by its deadline', async () => {
    const account = await starting();
    expect(await rows(account, 'guard run')).toEqual([]);
    await local(account, 'local clock advance 1m');
    expect(await rows(account, 'guard run')).toMatchObject([
      { name: 'lab', result: 'stopped' },
    ] satisfies Partial<Row>[]);
  });
});

test('a pod in ERROR, which is paid on, is found by --max-running', async () => {
  const account = await withError('');
  const dry = await account('guard run --max-running 1h --match lab --dry-run --json');
  expect([dry.code, JSON.parse(dry.out)]).toMatchObject([15, [{ name: 'lab', action: 'report' }]]);
  expect(await rows(account, 'guard run --max-running 1h --match lab --allow-terminate')).toMatchObject([
    { result: 'terminated' },
  ]);
});

test('a deadline to stop is kept also once the one to terminate is over, which needs --allow-terminate', async () => {
  const account = createAccount();
  await local(account, `${CREATE} lab --stop-after 8h --terminate-after 2d`);
  await local(account, 'local clock advance 3d');
  const status = await account('guard status');
  expect(status.err).toContain('2 deadlines overdue.');
  expect(await rows(account, 'guard run')).toMatchObject([{ action: 'stop', result: 'stopped' }]);
  expect(await statusOf(account, 'lab')).toContain('EXITED');
  expect(await rows(account, 'guard run')).toMatchObject([{ action: 'report', held: /allow-terminate/ }]);
});
