import { describe, expect, test } from 'vitest';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const POD = { id: 'p1', name: 'lab', status: 'RUNNING', cost: 2, env: {}, ports: [] };

const account = (balance: Readonly<Record<string, unknown>>, pods = json({ pods: [POD] })) =>
  serve([
    routed({
      'GET /v2/billing/balance': json(balance),
      'GET /v2/pods': pods,
      'GET /v2/serverless': json({
        endpoints: [
          { id: 'e1', gpu: { pools: ['P'], count: 1 }, workers: { min: 1, max: 3 } },
          { id: 'e2', gpu: { pools: ['P'], count: 1 }, workers: { min: 0, max: 3 } },
        ],
      }),
      'GET /v2/network-volumes': json({ networkVolumes: [{ id: 'v1', size: 730, dataCenter: 'DC-1' }] }),
      'GET /v2/catalog/gpus': json({ gpus: [{ id: 'G', pool: 'P', price: { serverless: 0.4 } }] }),
    }),
  ]);

describe('account balance', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a prepaid account says how long it lasts',
      { balanceAmount: 42.1, billingMode: 'PREPAID' },
      '$42.10, about 17h2m at $2.47/h',
    ],
    ['days where they are many', { balanceAmount: 500, billingMode: 'PREPAID' }, '$500.00, about 8d10h at $2.47/h'],
    ['nothing is left', { balanceAmount: 0, billingMode: 'PREPAID' }, '$0.00'],
    ['a postpaid account stops nothing', { balanceAmount: -3.2, billingMode: 'POSTPAID' }, '-$3.20, postpaid'],
  ])('%s', async (_, balance, text) => {
    const { out, code } = await berth(['account', 'balance'], { env: pointedAt((await account(balance)).url) });
    expect([code, out]).toEqual([0, `${text}\n`]);
  });

  test('as data it is one request and the document of the service', async () => {
    const server = await account({ balanceAmount: 42.1, billingMode: 'PREPAID' });
    const { out } = await berth(['account', 'balance', '--json'], { env: pointedAt(server.url) });
    expect([JSON.parse(out), server.seen.length]).toEqual([{ balanceAmount: 42.1, billingMode: 'PREPAID' }, 1]);
  });

  test('a list that cannot be read gives no estimate', async () => {
    const server = await account({ balanceAmount: 42.1, billingMode: 'PREPAID' }, problem(403, 'not allowed'));
    const { out, err, code } = await berth(['account', 'balance'], { env: pointedAt(server.url) });
    expect([code, out, err]).toEqual([0, '$42.10\n', expect.stringContaining('how long it lasts is unknown')]);
  });
});

test.each(['show', 'limits', 'balance'])('account %s of a service without it ends 4', async (verb) => {
  const server = await serve([problem(404, 'no such route')]);
  const { code, err } = await berth(['account', verb], { env: pointedAt(server.url) });
  expect([code, err]).toEqual([4, expect.stringContaining('the service does not offer this')]);
});

test('the local service has an account with limits', async () => {
  const run = createAccount();
  expect(JSON.parse(await local(run, 'account show --json'))).toMatchObject({ id: expect.any(String) as string });
  expect(await local(run, 'account limits')).toMatch(/^spend rate limit\t.*\n.*\nserverless workers limit\t/m);
});
