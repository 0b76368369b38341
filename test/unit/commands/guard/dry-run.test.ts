import { expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const CREATE = 'pods create --gpu GPU-24G --image i --name';

type Row = Readonly<Record<string, unknown>>;

test.each(['guard run', 'guard run --allow-terminate', 'guard run --max-age 1h --match nothing*'])(
  'a dry run of %s prints the decisions of the run, each with its request, and ends as it does',
  async (line) => {
    const account = createAccount();
    await local(account, `${CREATE} stops --stop-after 1h -o id`);
    await local(account, `${CREATE} ends --terminate-after 2h -o id`);
    await local(account, 'local clock advance 3h');
    const dry = await account(`${line} --dry-run --json`);
    const ran = await account(`${line} --json`);
    const [planned, done] = [dry, ran].map(({ out }) => JSON.parse(out) as readonly Row[]);
    expect([dry.code, ran.code]).toEqual([15, 15]);
    expect(planned?.map(({ request: _, ...row }) => row)).toEqual(done?.map(({ result: _, ...row }) => row));
    // What would be sent is what was sent.
    expect(planned?.map(({ request }) => request !== undefined)).toEqual(
      done?.map(({ result }) => result !== undefined),
    );
    expect(planned?.find(({ name }) => name === 'stops')).toMatchObject({
      action: 'stop',
      request: { method: 'POST', body: { action: 'stop' } },
    });
    expect(planned?.find(({ name }) => name === 'ends')).toMatchObject(
      line.includes('allow')
        ? { action: 'terminate', request: { method: 'DELETE' } }
        : { action: 'report', held: expect.stringContaining('--allow-terminate') as string },
    );
  },
);
