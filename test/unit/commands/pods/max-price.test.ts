import { describe, expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const CREATE = 'pods create --name lab --image a/b:1';

const made = async (account: Account): Promise<unknown> =>
  JSON.parse(await local(account, `pods list --json --jq '[.[] | select(.name == "lab")]'`));

describe('--max-price', () => {
  test.each([
    '--gpu GPU-80G --gpu GPU-192G',
    '--gpu GPU-80G --gpu GPU-192G --cloud COMMUNITY',
    '--gpu GPU-80G --until-available 6h',
    '--gpu GPU-80G --dry-run',
  ])('that every candidate is above ends at once with 15, and nothing was sent: %s', async (flags) => {
    const account = createAccount();
    const ran = await account(`${CREATE} ${flags} --max-price 1 --json`);
    expect([ran.code, ran.out, await made(account)]).toEqual([15, '', []]);
    expect(JSON.parse(ran.err)).toMatchObject({
      error: {
        code: 'limit-exceeded',
        message: expect.stringMatching(/^above --max-price \$1\.00\/h: GPU-80G \(\$[\d.]+\/h\)/) as string,
      },
    });
  });

  test('is held against what the created pod costs: above it, it is terminated, and that is said', async () => {
    const remote = await remoteService(({ method, url }) =>
      method === 'POST' && url === '/v2/pods'
        ? {
            first: async () => {
              await remote.send('POST', '/local/prices', { hardware: 'GPU-80G', price: 9 });
            },
          }
        : undefined,
    );
    const ran = await berth([...CREATE.split(' '), '--gpu', 'GPU-80G', '--max-price', '2.50'], { env: remote.env });
    expect([ran.code, ran.out, ran.err]).toEqual([
      15,
      '',
      expect.stringMatching(/costs \$9\.00\/h, above --max-price: terminated/),
    ]);
    expect((await remote.send('GET', '/v2/pods')).text).not.toContain('"lab"');
  });

  test('is held against the catalog first: nothing is created above it', async () => {
    const account = createAccount();
    await local(account, 'local stock price GPU-80G 9 --cloud SECURE');
    const cheap = `${CREATE} --gpu GPU-80G --max-price 2.50 --idempotency-key k`;
    expect((await account(cheap)).code).toBe(15);
    await local(account, 'local stock price GPU-80G 2 --cloud SECURE');
    await local(account, cheap);
    expect(await made(account)).toMatchObject([{ cost: 2 }]);
  });
});
