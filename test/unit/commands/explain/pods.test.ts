import { describe, expect, test } from 'vitest';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { expectCause, type CauseCase } from './explain-fixture.ts';

/** Every cause of `pods explain`, each produced on the local service. */
const CASES: readonly CauseCase[] = [
  {
    code: 'rate-limited',
    setup: ['local fault add rate-limit --retry-after 40s'],
    ask: 'pods explain pod-train',
    verdict: /^rate limited for 40s$/,
    cure: /^berth --local limits$/,
  },
  {
    code: 'low-balance',
    setup: ["local fault add low-balance --match 'GET /v2/pods'"],
    ask: 'pods explain pod-train',
    verdict: /^the balance of the account is too low/,
    cure: /^berth --local billing summary$/,
  },
  {
    code: 'crash',
    setup: ['pods create --name bad --gpu GPU-24G --image example/does-not-start:1 -o id', 'local clock advance 1m'],
    ask: 'pods explain bad',
    verdict:
      /^the container does not run, and goes on costing \$0\.69 an hour: fatal: cannot open \/models\/weights\.bin: no such file$/,
    evidence: ['last container line', /^fatal:/, /^GET \/v2\/pods\/\S+\/logs\?source=container$/],
    cure: /^berth --local pods logs \S+\ngive it another image: berth --local pods update \S+ --image, with the image to use\nberth --local pods start \S+ --wait\nberth --local pods terminate \S+$/,
  },
  {
    code: 'stopped',
    setup: [],
    ask: 'pods explain pod-stopped',
    verdict: /^stopped: it runs again once it is started$/,
    cure: /^berth --local pods start pod-stopped --wait$/,
  },
  {
    code: 'no-stock',
    setup: ['local stock set GPU-16G 0 --data-center EU-NORTH-1'],
    ask: 'pods explain pod-provisioning',
    verdict: /^no stock of GPU-16G in EU-NORTH-1$/,
    evidence: ['GPU-16G', /^none in EU-NORTH-1; some in EU-WEST-1, US-EAST-1$/, /product=POD/],
    cure: /^berth --local catalog gpus --available\nberth --local pods terminate pod-provisioning$/,
  },
  {
    code: 'slow-allocation',
    setup: ['local clock advance 10m'],
    ask: 'pods explain pod-provisioning',
    state: 'waiting',
    verdict: /^no machine for 10m20s: still waiting for one$/,
    cure: /^berth --local pods logs pod-provisioning\nberth --local pods terminate pod-provisioning$/,
  },
  {
    code: 'slow-start',
    setup: ['local clock advance 10m'],
    ask: 'pods explain pod-starting',
    state: 'waiting',
    verdict: /^starting for 11m30s: still pulling the image$/,
    cure: /^berth --local pods logs pod-starting\n/,
  },
  {
    code: 'healthy',
    setup: [],
    ask: 'pods explain train-llm',
    state: 'ok',
    verdict: /^healthy: it runs, for 2d2h$/,
    evidence: ['gpu use', /^\d+%, \d+%$/, /^GET \/v2\/pods\/pod-train$/],
  },
  {
    code: 'healthy',
    setup: ['pods create --name lab --gpu GPU-24G --image example/lab:1 -o id'],
    ask: 'pods explain lab',
    state: 'ok',
    verdict: /^healthy: it is being given a machine/,
  },
  {
    code: 'healthy',
    setup: ['pods create --name lab --gpu GPU-24G --image example/lab:1 -o id', 'local clock advance 3s'],
    ask: 'pods explain lab',
    state: 'ok',
    verdict: /^healthy: its container starts/,
  },
];

describe('pods explain', () => {
  test.each(CASES)('says $code: $verdict', expectCause);

  test('a pod with another image runs after a start', async () => {
    const account = createAccount();
    await account('pods create --name bad --gpu GPU-24G --image does-not-start -o id');
    await account('local clock advance 1m');
    await account('pods update bad --image example/good:1');
    await account('pods start bad');
    await account('local clock advance 1m');
    expect((await account('pods explain bad')).out).toMatch(/^verdict\thealthy: it runs, for \d+s/);
  });

  test('a status that is not known is told as it is, and ends 1', async () => {
    const server = await serve([json({ id: 'p1', status: 'HIBERNATING' })]);
    const ran = await berth(['pods', 'explain', 'p1', '--json'], { env: pointedAt(server.url) });
    expect([ran.code, JSON.parse(ran.out)]).toEqual([
      1,
      expect.objectContaining({
        code: 'unknown',
        verdict: 'could not tell: the status HIBERNATING is not known to berth',
      }),
    ]);
  });

  test('says terminated where the service still answers it', async () => {
    const server = await serve([json({ id: 'p1', status: 'TERMINATED' })]);
    const ran = await berth(['pods', 'explain', 'p1', '--json'], { env: pointedAt(server.url) });
    expect(JSON.parse(ran.out)).toMatchObject({
      code: 'terminated',
      verdict: expect.stringMatching(/^terminated: it is deleted for good/) as string,
    });
  });

  test('ends 4 for a pod that is not there', async () => {
    const ran = await createAccount()('pods explain nope');
    expect([ran.code, ran.out]).toEqual([4, '']);
  });

  test.each([60, 80, 120])('looks as in the golden file at %i columns', async (columns) => {
    const account = createAccount();
    // Its last line has escape sequences.
    await account('local reset --seed odd --yes');
    const ran = await account('pods explain pod-broken', {
      tty: { stdout: true },
      columns,
      env: { NO_COLOR: '1' },
    });
    await expect(ran.out).toMatchFileSnapshot(`../../../golden/explain/pod-${String(columns)}.txt`);
  });
});
