import { describe, expect, it } from 'vitest';
import { CREATE } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const TERMINATES = /guard run --every 1m --allow-terminate/;

/** What a command says on stderr. */
const said = async (line: string): Promise<string> => (await createAccount()(line)).err;

describe('what a pod costs until its deadline', () => {
  it('is rounded up to a cent, and says that the container disk is not in it', async () => {
    expect(await said(`${CREATE} lab --stop-after 90m --dry-run`)).toContain(
      'It costs $1.04 until its deadline in 1h30m, plus its container disk at a price that is not published, if',
    );
    expect(await said(`${CREATE} lab --persistent-size 10 --stop-after 10h --dry-run`)).toContain(
      'It costs $6.90 until its deadline in 10h, plus its container disk and its persistent mount at prices that',
    );
  });
});

describe('a container disk above the usual size', () => {
  const LINE =
    /an hour until it is stopped\. Its container disk \(2000 GB\) is paid too, at a price that is not published\./;

  it('is in the price of a create, also where a template has it', async () => {
    expect(await said(`${CREATE} lab --disk 2000 --dry-run`)).toMatch(LINE);
    expect(await said(`${CREATE} lab --disk 20 --dry-run`)).not.toContain('container disk');
    const account = createAccount();
    await local(account, 'templates create --name large --image i --disk 2000');
    expect((await account('pods create --name lab --gpu GPU-24G --template large --dry-run')).err).toMatch(LINE);
  });

  it('is named for several candidates', async () => {
    expect(await said(`${CREATE} lab --gpu GPU-48G --disk 2000`)).toContain('Its container disk (2000 GB)');
  });
});

describe('the guard that is printed for a deadline to terminate', () => {
  it.each([
    'pods create --gpu GPU-24G --image i --name lab',
    `${CREATE} lab --stop-after 1h`,
    `${CREATE} lab --dry-run`,
  ])('is allowed to terminate: %s', async (line) => {
    expect(await said(`${line} --terminate-after 2h`)).toMatch(TERMINATES);
  });

  it('is not, where the pod has only a deadline to stop', async () => {
    expect(await said(`${CREATE} lab --stop-after 2h`)).toMatch(/berth [^.]*guard run --every 1m(?! --allow)/);
  });

  it('is in guard status and in explain once the deadline is overdue, also where a guard ran without it', async () => {
    const account = createAccount();
    await local(account, `${CREATE} lab --terminate-after 1h`);
    await local(account, 'local clock advance 2h');
    await account('guard run');
    const status = await account('guard status');
    expect([status.code, status.err]).toEqual([
      15,
      expect.stringMatching(/A guard .* last ran .* One that terminates: /),
    ]);
    expect(status.err).toMatch(TERMINATES);
    expect(await local(account, 'pods explain lab')).toMatch(TERMINATES);
    await local(account, 'pods update lab --locked on');
    expect(await local(account, 'pods explain lab')).not.toContain('guard run');
  });
});

it('lets a selection not wait for a new pod that it terminated', async () => {
  const account = createAccount();
  await local(account, `${CREATE} lab`);
  await local(account, 'local clock advance 20s');
  const ran = await account('guard run --match lab --max-age 1s --do terminate --allow-terminate');
  expect([ran.code, ran.out + ran.err]).toEqual([15, expect.stringContaining('terminated')]);
  const stopped = await account('pods stop --match train* --yes --json');
  expect(stopped.err).not.toContain('Not listed yet');
  expect(JSON.parse(stopped.out)).toMatchObject([{ ok: true }]);
});
