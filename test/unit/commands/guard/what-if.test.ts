import { describe, expect, it } from 'vitest';
import { CREATE, rows } from '../../../support/worlds/guard-account.ts';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';

/** An account whose pods `lab` (which idles) and `busy` were sampled every ten minutes for some hours. */
async function sampled(hours: number): Promise<Account> {
  const account = createAccount();
  for (const name of ['lab', 'busy']) await local(account, `${CREATE} ${name} -o id`);
  await local(account, 'local clock advance 3m');
  await local(account, 'local pods use lab --gpu 0 --cpu 0');
  for (let minutes = 0; minutes < hours * 60; minutes += 10) {
    await account('guard check');
    await local(account, 'local clock advance 10m');
  }
  await account('guard check');
  return account;
}

const only = "--match '{lab,busy}'";

describe('guard history with rules', () => {
  it('tells what they would have done and saved, by the samples of pods that run and that are gone', async () => {
    const account = await sampled(6);
    const idle = `guard history ${only} --idle 2h`;
    const found = await rows(account, idle);
    // It would have been stopped after two hours of samples; it cost $0.69 for each of the four hours after that.
    expect(found).toMatchObject([
      { name: 'lab', rule: 'idle', action: 'stop', saved: expect.closeTo(4 * 0.69, 1) as number },
    ]);
    await local(account, 'pods terminate lab --yes');
    await local(account, 'local clock advance 24h');
    await account('guard check');
    expect(await rows(account, idle)).toEqual(found);
    expect(await rows(account, `guard history ${only} --max-running 5h`)).toMatchObject([
      { name: 'busy', saved: expect.closeTo(25 * 0.69, 0) as number },
      { name: 'lab', saved: expect.closeTo(0.69, 0) as number },
    ]);
  });

  it('says since when there are samples, and what they cannot tell', async () => {
    const account = await sampled(1);
    const ran = await account(
      `guard history ${only} --idle 2h --max-running 30m --account-per-hour 1 --without-jobs 1h`,
    );
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(
        /By the samples since 2026-01-01T00:03:0\dZ, it would have ended 2 starts of pods, which cost \$0\.\d+ after that\.\nSamples do not tell what these rules would have done: account-per-hour, without-jobs\.\n/,
      ),
    ]);
  });

  it('says where samples are too few, or where there are none', async () => {
    const account = createAccount();
    expect((await account('guard history --idle 1h')).err).toContain('There is no sample yet');
    await local(account, `${CREATE} lab -o id`);
    await local(account, 'local clock advance 3h');
    await account('guard check');
    const ran = await account('guard history --match lab --idle 1h --idle-gpu 100 --idle-cpu 100');
    expect([ran.out, ran.err]).toEqual(['', expect.stringContaining('Of 1 other start, the samples are too few')]);
  });
});
