import { describe, expect, test } from 'vitest';
import { createAccount, type Account } from '../../../../support/worlds/local-account.ts';

const TERMINAL = { tty: true, columns: 400 };
const CREATE = 'pods create --name lab --gpu GPU-24G --image a/b --persistent-size 200';
const KEPT =
  'Its persistent mount (200 GB) costs money also while stopped, until the pod is terminated; the price is not published.';
const UNKNOWN = 'the disk of 1 stopped pod (200 GB) is paid too, at a price that is not published';

/** An account whose pod with a persistent mount has been stopped for three hours. */
async function stopped(): Promise<Account> {
  const account = createAccount();
  await account(CREATE);
  await account('local clock advance 1h');
  await account('pods stop lab');
  await account('local clock advance 3h');
  return account;
}

describe('the persistent mount of a stopped pod costs, and that is said', () => {
  test('when it is created, started and asked to stop', async () => {
    expect((await createAccount()(CREATE)).err).toContain(`an hour until it is stopped. ${KEPT}`);
    expect((await createAccount()(`${CREATE} --max-price 3`)).err).toContain(KEPT);
    const account = await stopped();
    expect((await account('pods start lab')).err).toContain(KEPT);
    expect((await account('pods stop --match lab --dry-run', TERMINAL)).err).toContain(KEPT);
    expect((await account('pods stop lab --yes -o id')).err).toContain(KEPT);
    expect((await account('pods stop lab --yes --quiet')).err).not.toContain('persistent');
  });

  test('below lists, in top and in the rate of the account, which are lower bounds then', async () => {
    const account = await stopped();
    const { err } = await account('pods list --match lab', TERMINAL);
    expect(err).toContain(`1 pod, at least $0.00 an hour (${UNKNOWN})`);
    expect(err).toMatch(/The account costs at least .*the disk of 1 stopped pod/);
    expect((await account('top --once', { ...TERMINAL, columns: 300 })).out).toContain(UNKNOWN);
  });

  test('in what the account goes on costing after the stop, and no more once it is terminated', async () => {
    const account = createAccount();
    await account(CREATE);
    expect((await account('pods stop lab')).err).toContain(UNKNOWN);
    expect((await account('pods terminate lab --yes')).err).not.toContain(UNKNOWN);
  });

  test('when it is terminated: what that saves by the last bill', async () => {
    const account = await stopped();
    const { err } = await account('pods terminate lab --dry-run', TERMINAL);
    expect(err).toMatch(
      /It saves \$0\.00 an hour\. For the 200 GB on disk of 1 stopped pod it saves \$0\.0274 an hour, \$20\.00 a month by the last bill\./,
    );
  });

  test('in the report of what does nothing, and in the help', async () => {
    const account = await stopped();
    expect((await account('billing report', TERMINAL)).err).toContain(
      'is stopped now and keeps a disk of 200 GB, which is paid on',
    );
    expect((await account('help prices', TERMINAL)).out.replace(/\s+/g, ' ')).toContain('a persistent mount');
  });

  test('not of a pod without one', async () => {
    const { err } = await createAccount()('pods create --name lab --gpu GPU-24G --image a/b');
    expect(err).not.toContain('persistent');
  });
});
