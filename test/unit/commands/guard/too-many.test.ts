import { describe, expect, it } from 'vitest';
import { CREATE, rows, withLab, type Row } from '../../../support/worlds/guard-account.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

describe('too many at once', () => {
  it('are refused before anything is sent, and done with --yes', async () => {
    const account = createAccount();
    for (const name of ['a', 'b', 'c']) await local(account, `${CREATE} x-${name} -o id`);
    await local(account, 'local clock advance 3h');
    const refused = await account("guard run --match 'x-*' --max-running 1h --max-actions 2 --json");
    expect([refused.code, refused.out, refused.err]).toEqual([2, '', expect.stringContaining('3 pods would be ended')]);
    expect(await rows(account, "guard run --match 'x-*' --max-running 1h --max-actions 2 --yes")).toMatchObject(
      ['a', 'b', 'c'].map((name) => ({ name: `x-${name}`, result: 'stopped' })).reverse(),
    );
  });

  it('are more than half of what runs, by rules', async () => {
    const account = createAccount();
    await local(account, 'local clock advance 3h');
    const refused = await account('guard run --max-age 1m --max-actions 50');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('more than half')]);
  });

  it('hold what rules would end, and deadlines are kept', async () => {
    const account = await withLab();
    await local(account, 'local clock advance 3h');
    const ran = await account('guard run --max-age 1m --json');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('only deadlines were kept')]);
    const found = JSON.parse(ran.out) as readonly Row[];
    expect(found.filter(({ result }) => result !== undefined)).toMatchObject([{ name: 'lab', result: 'stopped' }]);
    expect(found.some(({ held }) => held?.startsWith('too many at once') === true)).toBe(true);
  });

  it('are shown by a dry run, which ends as the run does; with --yes each has its request', async () => {
    const account = createAccount();
    const ran = await account('guard run --max-age 1s --dry-run --json');
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('would be ended at once')]);
    expect((JSON.parse(ran.out) as readonly Row[]).length > 1).toBe(true);
    const confirmed = await account('guard run --max-age 1s --dry-run --json --yes');
    const requests = (JSON.parse(confirmed.out) as readonly Row[]).filter((row) => 'request' in row);
    expect([confirmed.code, requests.length > 1]).toEqual([15, true]);
  });

  it('are not the pods whose own deadline is over', async () => {
    const account = createAccount();
    await local(account, 'pods stop --all --yes');
    for (const name of ['a', 'b']) await local(account, `${CREATE} x-${name} --stop-after 1h -o id`);
    await local(account, 'local clock advance 3h');
    expect(await rows(account, 'guard run')).toHaveLength(2);
  });
});
