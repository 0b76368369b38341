import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { expectCause, explain, type CauseCase } from './explain-fixture.ts';

const CREATE = 'endpoints create --name gpu --image example/echo:1 --gpu-pool POOL-80G';
const CREATE_SMALL = CREATE.replace('80G', '24G');

/** Every cause of `endpoints explain`, each produced on the local service. */
const CASES: readonly CauseCase[] = [
  {
    // What else is wrong comes after it.
    code: 'build-failed',
    setup: [
      'endpoints update demo --workers-max 0',
      'api POST /local/builds/demo --input \'{"id":"b1","status":"FAILED","error":"no such package"}\'',
      'local clock advance 1s',
      'api POST /local/builds/demo --input \'{"id":"b2","status":"CANCELLED"}\'',
    ],
    ask: 'endpoints explain demo',
    verdict: /^its newest build has failed: no such package$/,
    evidence: ['newest build', /^b1 FAILED$/, /^GET \/v2\/serverless\/demo\/builds$/],
    cure: /^berth --local endpoints builds get demo b1$/,
  },
  {
    // A failed build that was followed by another one says nothing.
    code: 'healthy',
    state: 'ok',
    setup: [
      'api POST /local/builds/demo --input \'{"status":"TEST_FAILED"}\'',
      'local clock advance 1s',
      'api POST /local/builds/demo --input \'{"status":"BUILDING"}\'',
    ],
    ask: 'endpoints explain demo',
    verdict: /^healthy/,
  },
  {
    code: 'rate-limited',
    setup: ['local fault add rate-limit --retry-after 40s'],
    ask: 'endpoints explain demo',
    verdict: /^rate limited for 40s$/,
    evidence: ['not read', /429.*rate limit exceeded/, /^GET \/v2\/serverless\/demo$/],
    cure: /^berth --local limits$/,
  },
  {
    code: 'rate-limited',
    setup: ["local fault add rate-limit --retry-after 90s --match 'GET /v2/demo/health'"],
    ask: 'endpoints explain demo',
    verdict: /^rate limited for 1m30s$/,
    cure: /^berth --local limits$/,
  },
  {
    code: 'low-balance',
    setup: ["local fault add low-balance --match 'GET /v2/serverless'"],
    ask: 'endpoints explain demo',
    verdict: /^the balance of the account is too low/,
    cure: /^berth --local billing summary$/,
  },
  {
    code: 'workers-max-zero',
    setup: ['endpoints update demo --workers-max 0', "jobs run demo --input '{}'"],
    ask: 'endpoints explain demo',
    verdict: /^nothing will run: workers-max is 0$/,
    evidence: ['jobs waiting', /^1$/, /^GET \/v2\/demo\/health$/],
    cure: /^berth --local endpoints update demo --workers-max 3$/,
  },
  {
    code: 'workers-crash',
    setup: [
      'endpoints update demo --image example/does-not-start:2',
      "jobs run demo --input '{}'",
      'local clock advance 2s',
    ],
    ask: 'endpoints explain demo',
    verdict: /^workers crash at start: container exited with code 1: it does not start$/,
    evidence: [
      'last log line',
      /^fatal: cannot open \/models\/weights\.bin: no such file$/,
      /^GET \/v2\/serverless\/demo\/workers\/w\w+\/logs/,
    ],
    cure: /^berth --local endpoints logs demo w\w+\ngive it another image: berth --local endpoints update demo --wait --image, with the image to use$/,
  },
  {
    code: 'workers-throttled',
    setup: [
      `${CREATE_SMALL} --data-center EU-NORTH-1 --workers-min 1 -o id`,
      'local clock advance 2s',
      'local stock set GPU-24G 0',
    ],
    ask: 'endpoints explain gpu',
    verdict: /^workers wait for hardware that others use: 1 worker throttled$/,
    evidence: ['POOL-24G', /^none in EU-NORTH-1$/, /^GET \/v2\/catalog\/gpus\?include=AVAILABILITY/],
    // Not the pool of GPUs of 16 GB, which has stock too.
    cure: /^berth --local endpoints update \S+ --gpu-pool POOL-24G,POOL-80G$/,
  },
  {
    code: 'no-stock',
    setup: [`${CREATE} --data-center EU-NORTH-1 -o id`, 'local stock set GPU-80G 0 --data-center EU-NORTH-1'],
    ask: 'endpoints explain gpu',
    verdict: /^no stock of POOL-80G in EU-NORTH-1$/,
    evidence: ['POOL-80G', /^none in EU-NORTH-1; some in US-EAST-1, US-WEST-1$/, /product=SERVERLESS/],
    cure: /^berth --local endpoints update \S+ --data-center EU-NORTH-1,US-EAST-1,US-WEST-1$/,
  },
  {
    code: 'no-stock',
    setup: [`${CREATE} -o id`, 'local stock set GPU-80G 0'],
    ask: 'endpoints explain gpu',
    verdict: /^no stock of POOL-80G in any data center$/,
    // GPU-192G is in stock, and in no pool.
    cure: /^wait: no other pool of GPUs with at least 80 GB is in stock there$/,
  },
  {
    code: 'no-stock',
    setup: [
      `${CREATE_SMALL} --network-volume vol-checkpoints -o id`,
      'local stock set GPU-24G 0 --data-center US-EAST-1',
    ],
    ask: 'endpoints explain gpu',
    verdict: /^no stock of POOL-24G in US-EAST-1$/,
    // Its volume is there, so another data center would be no cure.
    cure: /--gpu-pool POOL-24G,POOL-48G,POOL-80G$/,
  },
  {
    code: 'no-stock',
    setup: ['local stock set cpu-general 0'],
    ask: 'endpoints explain demo',
    verdict: /^no stock of cpu-general in any data center$/,
    cure: /^berth --local catalog cpus --available --product SERVERLESS$/,
  },
  {
    code: 'no-worker',
    setup: [
      'local stock set cpu-general 0',
      "jobs run demo --input '{}'",
      "local fault add server-error --match 'GET /v2/catalog'",
    ],
    ask: 'endpoints explain demo',
    state: 'waiting',
    verdict: /^1 job waiting, and no worker has started yet$/,
    evidence: ['not read', /503/, /^GET \/v2\/catalog\/cpus/],
    cure: /^berth --local endpoints workers demo --watch$/,
  },
  {
    code: 'jobs-fail',
    setup: ["jobs run fail --input '{}'", "jobs run fail --input '{}'", 'local clock advance 1m'],
    ask: 'endpoints explain fail',
    verdict: /^jobs fail: 2 of 2 that ended$/,
    evidence: ['jobs failed', /^2$/, /^GET \/v2\/fail\/health$/],
    cure: /^berth --local endpoints logs fail\n/,
  },
  {
    code: 'unknown',
    setup: ["local fault add server-error --match 'GET /v2/demo/health'"],
    ask: 'endpoints explain demo',
    state: 'waiting',
    verdict: /^could not tell: GET \/v2\/demo\/health: the service answered 503/,
    cure: /^berth --local doctor$/,
    exit: 7,
  },
  {
    code: 'healthy',
    setup: [],
    ask: 'endpoints explain demo',
    state: 'ok',
    verdict: /^healthy: no job waits; the next job starts a worker$/,
  },
  {
    code: 'healthy',
    setup: ['jobs run sleep --input \'{"seconds":60}\'', 'local clock advance 2s'],
    ask: 'endpoints explain sleep',
    state: 'ok',
    verdict: /^healthy: 1 job running, none waiting$/,
  },
  {
    code: 'healthy',
    setup: [
      'endpoints create --name web --image example/web:1 --type LOAD_BALANCER --cpu cpu-general:2 --workers-min 2 -o id',
      'local clock advance 2s',
    ],
    ask: 'endpoints explain web',
    state: 'ok',
    verdict: /^healthy: 2 workers: 2 idle$/,
  },
];

describe('endpoints explain', () => {
  test.each(CASES)('says $code: $verdict', expectCause);

  test('gives a command that the service takes, of pools alone whose GPUs are not smaller', async () => {
    const account = createAccount();
    await local(account, `${CREATE_SMALL} --workers-min 1 -o id`);
    await local(account, 'local stock set GPU-24G 0');
    const { cure } = await explain(account, 'endpoints explain gpu');
    expect(cure).toEqual([expect.stringMatching(/ --gpu-pool POOL-24G,POOL-48G,POOL-80G$/)]);
    await local(account, (cure[0] ?? '').replace('berth --local ', ''));
  });

  test('estimates how long the waiting jobs take from what ends while it watches', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 1');
    for (let job = 0; job < 21; job++) await local(account, "jobs run demo --input '{}'");
    await local(account, 'local clock advance 1s');
    const found = await explain(account, 'endpoints explain demo --sample 4s');
    // A job takes a second on the only worker.
    expect(found.verdict).toMatch(
      /^healthy: 2\d jobs waiting, about 20s; every worker that workers-max allows is busy$/,
    );
    const without = await explain(account, 'endpoints explain demo --sample 0');
    expect(without.verdict).not.toMatch(/about/);
  });

  test('asks four questions at once, and the catalog only when no worker can take a job', async () => {
    const account = createAccount();
    const sources = async (): Promise<readonly string[]> => {
      const { err } = await account('--verbose endpoints explain sleep');
      return [...err.matchAll(/(GET) http:\/\/\S+?(\/v\d\/[\w/-]+)/g)].map(([, , path]) => path ?? '');
    };
    const endpoint = '/v2/serverless/sleep';
    const four = [endpoint, `${endpoint}/workers`, `${endpoint}/builds`, '/v2/sleep/health'];
    expect(new Set(await sources())).toEqual(new Set([...four, '/v2/catalog/cpus']));
    await local(account, 'jobs run sleep --input \'{"seconds":60}\'');
    await local(account, 'local clock advance 2s');
    // Now for the price of the worker, whose log may say that a result was lost.
    expect((await sources()).map((path) => path.replace(/workers\/[\w-]+/, 'workers/ID')).toSorted()).toEqual(
      [...four, '/v2/catalog/cpus', `${endpoint}/workers/ID/logs`].toSorted(),
    );
  });

  test.each([
    ['--gpu-pool POOL-80G --workers-min 2', /^\/v2\/catalog\/gpus$/],
    ['--cpu cpu-general:4 --workers-min 1', /^\/v2\/catalog\/cpus$/],
    ['--cpu cpu-general:4', /^\/v2\/serverless\/\S+\/workers$/],
  ])('names what the workers of an endpoint created with %s cost, as top does', async (flags, source) => {
    const account = createAccount();
    await local(account, `endpoints create --name paid --image a/b ${flags}`);
    await local(account, 'local clock advance 5m');
    const topLine = await local(account, 'top --once -o json --jq \'.[] | select(.name == "paid") | .costPerHour\'');
    const { evidence } = await explain(account, 'endpoints explain paid');
    const cost = evidence.filter(({ fact }) => fact === 'cost of workers');
    expect(cost.map(({ value }) => value)).toEqual([`$${Number(topLine).toFixed(2)} an hour`]);
    expect(cost[0]?.source.replace(/^GET /, '')).toMatch(source);
  });

  test('says that the cost of workers is not known where the prices cannot be read', async () => {
    const account = createAccount();
    await local(account, 'endpoints create --name paid --image a/b --gpu-pool POOL-80G --workers-min 2');
    await local(account, 'local clock advance 5m');
    await local(account, "local fault add server-error --match 'GET /v2/catalog'");
    const { evidence } = await explain(account, 'endpoints explain paid');
    expect(evidence.map(({ fact, value }) => `${fact}: ${value}`)).toEqual(
      expect.arrayContaining([
        'cost of workers: at least $0.00 an hour (the price of 2 workers is not known)',
        expect.stringMatching(/^not read: .*503/) as string,
      ]),
    );
  });

  test('without --exit-status ends 0 when it could tell', async () => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 0');
    expect(await local(account, 'endpoints explain demo')).toContain('nothing will run');
  });

  test('of an endpoint that is not there ends 4, as other commands do', async () => {
    const ran = await createAccount()('endpoints explain nope');
    expect([ran.code, ran.out, ran.err]).toEqual([4, '', expect.stringMatching(/No endpoint has this id or name/)]);
  });

  test.each([60, 80, 120])('looks as in the golden file at %i columns', async (columns) => {
    const account = createAccount();
    await local(account, `${CREATE} --data-center EU-NORTH-1 -o id`);
    await local(account, 'local stock set GPU-80G 0 --data-center EU-NORTH-1');
    const ran = await account('endpoints explain gpu', {
      tty: { stdout: true },
      columns,
      env: { NO_COLOR: '1' },
    });
    await expect(ran.out).toMatchFileSnapshot(`../../../golden/explain/endpoint-${String(columns)}.txt`);
  });
});
