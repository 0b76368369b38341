import { describe, expect, onTestFinished, test } from 'vitest';
import { JOBS_ONLY_KEY } from '../../../../src/local/http/auth.ts';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { berth } from '../../../support/worlds/run-berth.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { expectCause, explain, type CauseCase } from './explain-fixture.ts';

const SUBMIT = "jobs run demo --input '{}'";
const ASK = 'jobs explain demo JOB';

/** Every cause of `jobs explain`, each produced on the local service. */
const CASES: readonly CauseCase[] = [
  {
    code: 'completed',
    setup: [SUBMIT, 'local clock advance 10s'],
    ask: ASK,
    state: 'ok',
    verdict: /^completed: 1s in the queue, 1s of work$/,
  },
  {
    code: 'failed',
    setup: ['jobs run fail --input \'{"error":"out of memory"}\'', 'local clock advance 10s'],
    ask: 'jobs explain fail JOB',
    verdict: /^failed: out of memory$/,
    evidence: ['status', /^FAILED$/, /^GET \/v2\/fail\/status\//],
    cure: /^berth --local jobs retry fail JOB$/,
  },
  {
    code: 'failed',
    setup: [
      'jobs run fail --input \'{"error":"{\\"error_type\\":\\"MemoryError\\",\\"error_message\\":\\"out of memory\\"}"}\'',
      'local clock advance 10s',
    ],
    ask: 'jobs explain fail JOB',
    verdict: /^failed: out of memory$/,
    cure: /^berth --local jobs retry fail JOB$/,
  },
  {
    code: 'failed',
    setup: [
      'jobs run fail --input \'{"error":"Traceback (most recent call last):\\n  File x\\nValueError: no"}\'',
      'local clock advance 10s',
    ],
    ask: 'jobs explain fail JOB',
    verdict: /^failed: ValueError: no$/,
    cure: /^berth --local jobs retry fail JOB$/,
  },
  {
    code: 'timed-out',
    setup: [
      'endpoints update sleep --execution-timeout 5s',
      'jobs run sleep --input \'{"seconds":60}\'',
      'local clock advance 30s',
    ],
    ask: 'jobs explain sleep JOB',
    evidence: ['execution timeout', /^5s$/, /^GET \/v2\/serverless\/sleep$/],
    verdict: /^stopped by its execution timeout after 5s$/,
    cure: /^berth --local endpoints update sleep --execution-timeout 1h\nberth --local jobs retry sleep JOB$/,
  },
  {
    code: 'timed-out',
    setup: ['jobs run sleep --input \'{"seconds":60}\' --execution-timeout 5s', 'local clock advance 30s'],
    ask: 'jobs explain sleep JOB',
    verdict: /^stopped by its own execution timeout after 5s$/,
    evidence: ['execution timeout', /^5s$/, /^its submission by this machine$/],
    cure: /^run it again: berth --local jobs run sleep --input @FILE --execution-timeout 10s, with its input in FILE$/,
  },
  {
    // Submitted elsewhere, such as by an SDK.
    code: 'completed',
    setup: ['api POST /v2/demo/run --service queue --field input={} --jq .id --raw', 'local clock advance 10s'],
    ask: 'jobs explain demo 80000000-00000001-u1',
    state: 'ok',
    verdict: /^completed: /,
    evidence: ['execution timeout', /^5m, unless its submission gave another$/, /^GET \/v2\/serverless\/demo$/],
  },
  {
    code: 'cancelled',
    setup: [SUBMIT, 'jobs cancel demo JOB -o id'],
    ask: ASK,
    verdict: /^cancelled: /,
    cure: /^run it again: berth --local jobs run demo --input @FILE, with its input in FILE$/,
  },
  {
    code: 'expired',
    setup: [SUBMIT, 'local clock advance 31m'],
    ask: ASK,
    verdict: /^expired: results are kept 30 minutes \(run\)/,
    evidence: ['not read', /404/, /^GET \/v2\/demo\/status\//],
    cure: /^run it again: berth --local jobs run demo --input @FILE, with its input in FILE$/,
  },
  {
    code: 'expired',
    setup: [],
    ask: 'jobs explain demo sync-1',
    verdict: /^expired: results are kept 1 to 5 minutes \(runsync\); or this endpoint never had such a job$/,
    // Nothing that waits for it: it could only end with the same 404.
    cure: /^berth --local jobs recent\nrun it again: berth --local jobs run demo --input @FILE, with its input in FILE$/,
  },
  {
    code: 'ttl-ended',
    setup: ['endpoints update demo --workers-max 0', `${SUBMIT} --ttl 1m`, 'local clock advance 61s'],
    ask: ASK,
    verdict:
      /^deleted: its time to live of 1m, in the queue and at work, is over; IN_QUEUE was its last status that this machine saw$/,
    evidence: ['time to live', /^1m, over$/, /^its submission by this machine$/],
    cure: /^run it again: berth --local jobs run demo --input @FILE --ttl 120s, with its input in FILE$/,
  },
  {
    code: 'ttl-ended',
    setup: ['endpoints update demo --workers-max 0', SUBMIT, 'local clock advance 24h'],
    ask: ASK,
    verdict:
      /^deleted: its time to live of \S+, in the queue and at work, is over; .*; or it ended before, and its result has/,
    evidence: ['time to live', /, over$/, /^the default of the service$/],
    cure: /^run it again: berth --local jobs run demo --input @FILE --ttl 172800s, with its input in FILE$/,
  },
  {
    // A result that was seen is gone after its own time.
    code: 'expired',
    setup: [`${SUBMIT} --ttl 1h`, 'local clock advance 10s', 'jobs status demo JOB -o id', 'local clock advance 2h'],
    ask: ASK,
    verdict: /^expired: results are kept 30 minutes/,
    cure: /^run it again: berth --local jobs run demo --input @FILE, with its input in FILE$/,
  },
  {
    code: 'ttl-ends-soon',
    setup: ['jobs run sleep --input \'{"seconds":200}\' --ttl 1m', 'local clock advance 50s'],
    ask: 'jobs explain sleep JOB',
    state: 'waiting',
    verdict:
      /^a worker runs it, and its time to live of 1m, in the queue and at work, ends in \d+s: the service then deletes it$/,
    evidence: ['time to live', /^1m, \d+s left$/, /^its submission by this machine$/],
    cure: /^berth --local jobs cancel sleep JOB\nrun it again: berth --local jobs run sleep --input @FILE --ttl 120s, with its input in FILE$/,
  },
  {
    code: 'ttl-ends-soon',
    setup: [
      'endpoints update sleep --workers-max 1',
      'jobs run sleep --input \'{"seconds":200}\'',
      'jobs run sleep --input \'{"seconds":1}\' --ttl 1m',
      'local clock advance 50s',
    ],
    ask: 'jobs explain sleep JOB',
    state: 'waiting',
    verdict: /^it waits, and its time to live of 1m, in the queue and at work, ends in \d+s/,
    cure: /^berth --local jobs cancel sleep JOB\n/,
  },
  {
    code: 'no-queue',
    setup: ['endpoints create --name web --image example/web:1 --type LOAD_BALANCER --cpu cpu-general:2 -o id', SUBMIT],
    ask: 'jobs explain web JOB',
    verdict: /^no job will run: the endpoint balances load and has no queue; requests go to http/,
    cure: /^berth --local endpoints get /,
  },
  {
    code: 'rate-limited',
    setup: [SUBMIT, "local fault add rate-limit --retry-after 40s --match 'GET /v2/demo/status'"],
    ask: ASK,
    verdict: /^rate limited for 40s$/,
    cure: /^berth --local limits$/,
  },
  {
    code: 'low-balance',
    setup: [
      'endpoints update demo --workers-max 0',
      SUBMIT,
      "local fault add low-balance --match 'GET /v2/serverless'",
    ],
    ask: ASK,
    verdict: /^the balance of the account is too low/,
    cure: /^berth --local billing summary$/,
  },
  {
    code: 'unknown',
    setup: [SUBMIT, "local fault add server-error --match 'GET /v2/demo/status'"],
    ask: ASK,
    state: 'waiting',
    verdict: /^could not tell: GET \/v2\/demo\/status\/\S+: the service answered 503/,
    cure: /^berth --local doctor$/,
    exit: 7,
  },
  {
    code: 'workers-max-zero',
    setup: ['endpoints update demo --workers-max 0', SUBMIT],
    ask: ASK,
    verdict: /^nothing will run: workers-max is 0$/,
    cure: /^berth --local endpoints update demo --workers-max 3$/,
  },
  {
    code: 'workers-crash',
    setup: ['endpoints update demo --image does-not-start', SUBMIT, 'local clock advance 2s'],
    ask: ASK,
    verdict: /^workers crash at start: container exited with code 1: it does not start$/,
    cure: /^berth --local endpoints logs demo /,
  },
  {
    code: 'workers-throttled',
    setup: ['endpoints update demo --workers-min 1', 'local clock advance 2s', 'local stock set cpu-general 0', SUBMIT],
    ask: ASK,
    verdict: /^workers wait for hardware that others use/,
    cure: /^berth --local catalog cpus --available/,
  },
  {
    code: 'no-stock',
    setup: ['local stock set cpu-general 0', SUBMIT],
    ask: ASK,
    verdict: /^no stock of cpu-general in any data center$/,
    cure: /^berth --local catalog cpus --available/,
  },
  {
    code: 'no-worker',
    setup: ['local stock set cpu-general 0', SUBMIT, "local fault add drop --match 'GET /v2/catalog'"],
    ask: ASK,
    state: 'waiting',
    verdict: /^1 job waiting, and no worker has started yet$/,
    cure: /^berth --local endpoints workers demo --watch$/,
  },
  {
    code: 'healthy',
    setup: [SUBMIT],
    ask: ASK,
    state: 'ok',
    verdict: /^healthy: next in the queue; a worker starts$/,
  },
  {
    code: 'healthy',
    setup: ['jobs run sleep --input \'{"seconds":60}\'', 'local clock advance 11s'],
    ask: 'jobs explain sleep JOB',
    state: 'ok',
    verdict: /^healthy: a worker runs it, for 10s so far$/,
    evidence: ['execution timeout', /^5m$/, /^GET \/v2\/serverless\/sleep$/],
  },
  {
    code: 'healthy',
    setup: ["jobs run demo-text-model --input '{}'"],
    ask: 'jobs explain demo-text-model JOB',
    state: 'ok',
    verdict: /^healthy: next in the queue; a worker starts$/,
  },
];

describe('jobs explain', () => {
  test.each(CASES)('says $code: $verdict', expectCause);

  test('says how many jobs are ahead at most, and about how long that takes', async () => {
    const account = createAccount();
    await local(account, 'endpoints update sleep --workers-max 1');
    let job = '';
    for (let count = 0; count < 5; count++) job = await local(account, 'jobs run sleep --input \'{"seconds":10}\'');
    await local(account, 'local clock advance 2s');
    const found = await explain(account, `jobs explain sleep ${job} --sample 10s`);
    expect(found.verdict).toBe('healthy: up to 3 jobs ahead, about 40s; every worker that workers-max allows is busy');
  });

  test('takes the name of an endpoint', async () => {
    const account = createAccount();
    await local(account, 'endpoints create --name mine --image example/demo:1 --cpu cpu-general:2 -o id');
    const job = await local(account, "jobs run mine --input '{}'");
    expect((await explain(account, `jobs explain mine ${job}`)).code).toBe('healthy');
  });

  test('ends 4 for an endpoint that is not there', async () => {
    const ran = await createAccount()('jobs explain nope nope');
    expect([ran.code, ran.out]).toEqual([4, '']);
  });

  test('needs no right to manage: a key for jobs alone is told what the queue says', async () => {
    const { service, send } = localFixture();
    const server = await serveLocal(service, { port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.stop());
    const job = String((await send('POST', '/v2/demo/run', { input: {} })).body['id']);
    const env = { BERTH_BASE_URL: server.url, BERTH_API_KEY: JOBS_ONLY_KEY };
    const ran = await berth(['jobs', 'explain', 'demo', job, '--json'], { env });
    expect([ran.code, JSON.parse(ran.out)]).toEqual([
      0,
      expect.objectContaining({
        code: 'healthy',
        evidence: expect.arrayContaining([
          { fact: 'not read', value: expect.stringContaining('403') as string, source: 'GET /v2/serverless/demo' },
        ]) as unknown,
      }),
    ]);
  });

  test.each([60, 80, 120])('looks as in the golden file at %i columns', async (columns) => {
    const account = createAccount();
    await local(account, 'endpoints update demo --workers-max 0');
    const job = await local(account, SUBMIT);
    const ran = await account(`jobs explain demo ${job}`, {
      tty: { stdout: true },
      columns,
      env: { NO_COLOR: '1' },
    });
    await expect(ran.out).toMatchFileSnapshot(`../../../golden/explain/job-${String(columns)}.txt`);
  });
});
