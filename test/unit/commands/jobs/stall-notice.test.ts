import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const BLOCKED =
  'job JOB: nothing will run: workers-max is 0\n  -> berth --local endpoints update demo --workers-max 3\n';

/** How often a wait printed the reason. */
const timesTold = (err: string): number => told(err).split(BLOCKED).length - 1;

/** What a wait printed on stderr, with the ids of the jobs replaced. */
const told = (err: string): string => err.replaceAll(/[0-9a-f]{8}-[0-9a-f]{8}-u1/g, 'JOB');

test('a wait that lasts as long as --timeout says that this is no limit of it, once', async () => {
  const account = createAccount();
  await local(account, 'endpoints update demo --workers-max 0');
  const job = await local(account, "jobs run demo --input '{}'");
  for (const line of [`jobs wait demo ${job}`, `jobs wait demo ${job} ${job}`, 'pods wait pod-web --for EXITED']) {
    const wait = `${line} --wait-timeout 60s`;
    const ran = await account(`${wait} --timeout 2s`);
    const note = '--timeout 2s limits each request. This wait ends after 1m: --wait-timeout.\n';
    expect([ran.code, ran.err.split(note).length]).toEqual([9, 2]);
    for (const other of [wait, `${wait} --timeout 90s`]) expect((await account(other)).err).not.toContain('limits');
    expect((await account(wait, { env: { BERTH_TIMEOUT: '2s' } })).err).not.toContain('limits');
  }
});

describe('a wait for a job that does not move', () => {
  test('says after 15 seconds why, once, and goes on waiting', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 0');
    const ran = await account("jobs run demo --input '{}' --wait --wait-timeout 60s");
    expect([ran.code, timesTold(ran.err), ran.err]).toEqual([9, 1, expect.stringContaining('error: waited 1m')]);
    expect(ran.out).toBe('');
  });

  test('says it in jobs wait too, about the first of several jobs that waits', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 0');
    const jobs = [
      await local(account, "jobs run demo --input '{}'"),
      await local(account, "jobs run demo --input '{}'"),
    ];
    const ran = await account(`jobs wait demo ${jobs.join(' ')} --wait-timeout 40s`);
    expect([ran.code, timesTold(ran.err)]).toEqual([9, 1]);
    expect(ran.err).toContain(`job ${jobs[0] ?? ''}: nothing`);
  });

  test.each([
    ['waits less than 15 seconds', "jobs run demo --input '{}' --wait --wait-timeout 14s", 9],
    ['is run by a worker', 'jobs run sleep --input \'{"seconds":40}\' --wait', 0],
  ])('says nothing when the job %s', async (_, line, code) => {
    const account = createAccount();
    if (code !== 0) await local(account, 'endpoints update demo --workers-max 0');
    const ran = await account(line);
    expect([ran.code, ran.err.includes('nothing will run'), ran.err.includes('healthy')]).toEqual([code, false, false]);
  });

  test('says nothing when the reason cannot be found out', async () => {
    const account = createAccount();
    await local(account, 'local stock set cpu-general 0');
    for (const path of ['/v2/serverless', '/v2/demo/health'])
      await local(account, `local fault add server-error --match ${path}`);
    const ran = await account("jobs run demo --input '{}' --wait --wait-timeout 30s");
    expect([ran.code, ran.err]).toEqual([9, expect.not.stringMatching(/could not tell|no worker|no stock/)]);
  });

  test('says nothing when only a part is known, and that is no reason', async () => {
    const account = createAccount();
    await local(account, 'local stock set cpu-general 0');
    await local(account, 'local fault add server-error --match /v2/demo/health');
    await local(account, 'local fault add server-error --match /v2/catalog');
    const ran = await account("jobs run demo --input '{}' --wait --wait-timeout 30s");
    expect([ran.code, ran.err]).toEqual([9, expect.not.stringMatching(/could not tell|no worker|no stock/)]);
  });

  test('on a terminal the spinner does not share its line with it', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 0');
    const ran = await account("jobs run demo --input '{}' --wait --wait-timeout 30s", { tty: { stderr: true } });
    // The line before was erased and the cursor shown again.
    const showCursor = '\u001b[?25h';
    expect(told(ran.err)).toContain(`${showCursor}job JOB: nothing will run: workers-max is 0\n`);
  });
});
