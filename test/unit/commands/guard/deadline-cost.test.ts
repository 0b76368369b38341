import { describe, expect, it } from 'vitest';
import { CREATE } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const TERMINATES = /guard run --every 1m --allow-terminate/;

/** What a command says on stderr. */
const said = async (line: string): Promise<string> => (await createAccount()(line)).err;

describe('what a pod costs until its deadline', () => {
  it('is in the price of a create', async () => {
    expect(await said(`${CREATE} lab --stop-after 2h`)).toContain('Stops in 2h (about $1.38) if a guard runs: ');
  });

  it('comes after its price, with a container disk above the usual size', async () => {
    expect(await said(`${CREATE} lab --disk 2000 --stop-after 1h`)).toMatch(
      /\$0\.69\/h plus a container disk of 2000 GB\n/,
    );
    expect(await said(`${CREATE} lab --disk 20`)).not.toContain('container disk');
  });
});

describe('the guard that is printed for a deadline to terminate', () => {
  it('may terminate, and only that one', async () => {
    expect(await said(`${CREATE} lab --terminate-after 2h`)).toMatch(/guard run --allow-terminate\n/);
    expect(await said(`${CREATE} lab --stop-after 2h`)).toMatch(/guard run\n/);
  });

  it('is in guard status once the deadline is overdue, also where a guard ran without it', async () => {
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
