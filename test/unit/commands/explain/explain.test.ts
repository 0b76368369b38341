import { expect, onTestFinished, test } from 'vitest';
import { JOBS_ONLY_KEY } from '../../../../src/local/http/admission.ts';
import { serveLocal } from '../../../../src/local/http/server.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

/** What `explain -o json` prints. */
interface Explained extends Readonly<Record<'verdict' | 'code' | 'state', string>> {
  readonly evidence: readonly object[];
  readonly cure: readonly string[];
}

interface Case {
  /** The last one explains. `JOB` stands for the job that the last `jobs run` printed. */
  readonly steps: readonly string[];
  /** `CODE STATE: VERDICT`. */
  readonly says: RegExp;
  readonly cure?: readonly RegExp[];
  readonly evidence?: readonly [fact: string, value: RegExp, source: RegExp];
  /** Where it is not 10 for blocked, else 0. */
  readonly exit?: number;
}

const SUBMIT = "jobs run demo --input '{}'";
const NEW_POD = 'pods create --name lab --gpu GPU-24G --image';
const NEW_ENDPOINT = 'endpoints create --name mine --image example/echo:1';

/** Each cause, produced on the local service. */
const CASES: readonly Case[] = [
  {
    steps: ['pods explain train-llm'],
    says: /^healthy ok: healthy: running for 2d2h$/,
    evidence: ['status', /^RUNNING$/, /^GET \/v2\/pods\/pod-train$/],
  },
  {
    steps: [`${NEW_POD} example/lab:1`, 'pods explain lab'],
    says: /^starting waiting: starting: PROVISIONING for \d+m?s: looking/,
    cure: [/^pods logs \S+$/, /^pods wait \S+$/],
  },
  {
    steps: ['local clock advance 5m', 'pods explain pod-provisioning'],
    says: /^starting waiting: starting: PROVISIONING for \w+: still waiting for a machine$/,
    cure: [/^pods logs \S+$/, /^pods wait \S+$/],
  },
  {
    steps: [`${NEW_POD} example/does-not-start:1`, 'local clock advance 1m', 'pods explain lab'],
    says: /^crash blocked: container does not run: fatal: cannot open \/models\/weights\.bin: no such file$/,
    evidence: ['last container line', /^fatal:/, /^GET \/v2\/pods\/\S+\/logs\?source=container$/],
    cure: [/^pods logs \S+$/, /^pods update \S+ --image IMAGE$/, /^pods start \S+ --wait$/, /^pods terminate \S+$/],
  },
  {
    steps: ['pods explain pod-stopped'],
    says: /^stopped blocked: stopped$/,
    cure: [/^pods start pod-stopped --wait$/],
  },
  { steps: ['endpoints explain demo'], says: /^healthy ok: healthy: 0 jobs waiting, 0 running; no workers$/ },
  {
    steps: [
      `${NEW_ENDPOINT} --type LOAD_BALANCER --cpu cpu-general:2 --workers-min 2`,
      'local clock advance 2s',
      'endpoints explain mine',
    ],
    says: /^healthy ok: healthy: 2 workers: 2 idle$/,
  },
  {
    // Before the other things that are wrong; a cancelled build says nothing.
    steps: [
      'endpoints update demo --workers-max 0',
      'api POST /local/builds/demo --input \'{"id":"b1","status":"FAILED","error":"no such package"}\'',
      'local clock advance 1s',
      'api POST /local/builds/demo --input \'{"id":"b2","status":"CANCELLED"}\'',
      'endpoints explain demo',
    ],
    says: /^build-failed blocked: newest build failed: no such package$/,
    cure: [/^endpoints builds get demo b1$/],
  },
  {
    steps: ['endpoints update demo --workers-max 0', SUBMIT, 'endpoints explain demo'],
    says: /^workers-max-zero blocked: nothing will run: workers-max is 0$/,
    cure: [/^endpoints update demo --workers-max 3$/],
    evidence: ['jobs waiting', /^1$/, /^GET \/v2\/demo\/health$/],
  },
  {
    steps: [
      'endpoints update demo --image example/does-not-start:2',
      SUBMIT,
      'local clock advance 2s',
      'endpoints explain demo',
    ],
    says: /^workers-crash blocked: workers crash: container exited with code 1: it does not start$/,
    cure: [/^endpoints logs demo w\w+$/, /^endpoints update demo --wait --image IMAGE$/],
    evidence: ['last log line', /^fatal: cannot open/, /^GET \/v2\/serverless\/demo\/workers\/w\w+\/logs/],
  },
  {
    steps: [
      `${NEW_ENDPOINT} --gpu-pool POOL-24G --data-center EU-NORTH-1 --workers-min 1`,
      'local clock advance 2s',
      'local stock set GPU-24G 0',
      'endpoints explain mine',
    ],
    says: /^workers-throttled blocked: no free hardware: 1 worker throttled$/,
    cure: [/^catalog gpus --available --product SERVERLESS$/],
  },
  {
    steps: ['local stock set cpu-general 0', SUBMIT, 'endpoints explain demo'],
    says: /^no-worker waiting: 1 job waiting, no worker started yet$/,
    cure: [/^endpoints workers demo --watch$/],
  },
  {
    steps: [
      "jobs run fail --input '{}'",
      "jobs run fail --input '{}'",
      'local clock advance 1m',
      'endpoints explain fail',
    ],
    says: /^jobs-fail blocked: jobs fail: 2 of the 2 that ended$/,
    cure: [/^endpoints logs fail$/, /^endpoints releases fail$/],
  },
  {
    steps: ["local fault add server-error --match 'GET /v2/demo/health'", 'endpoints explain demo'],
    says: /^unknown waiting: could not tell: GET \/v2\/demo\/health: the service answered 503/,
    cure: [/^doctor$/],
    exit: 7,
  },
  {
    steps: [SUBMIT, 'local clock advance 10s', 'jobs explain demo JOB'],
    says: /^completed ok: completed: 1s in the queue, ran 1s$/,
  },
  {
    steps: ['jobs run fail --input \'{"error":"out of memory"}\'', 'local clock advance 10s', 'jobs explain fail JOB'],
    says: /^failed blocked: failed: out of memory$/,
    cure: [/^jobs retry fail JOB$/],
    evidence: ['status', /^FAILED$/, /^GET \/v2\/fail\/status\/[^/?]+$/],
  },
  {
    steps: [
      'endpoints update sleep --execution-timeout 5s',
      'jobs run sleep --input \'{"seconds":60}\'',
      'local clock advance 30s',
      'jobs explain sleep JOB',
    ],
    says: /^timed-out blocked: stopped after 5s: execution timeout$/,
    cure: [/^jobs run sleep --input @FILE --execution-timeout 1h$/],
  },
  {
    steps: [SUBMIT, 'jobs cancel demo JOB', 'jobs explain demo JOB'],
    says: /^cancelled blocked: cancelled/,
    cure: [/^jobs run demo --input @FILE$/],
  },
  {
    steps: [SUBMIT, 'local clock advance 31m', 'jobs explain demo JOB'],
    says: /^expired blocked: expired or unknown: results are kept 30 minutes/,
    cure: [/^jobs recent$/, /^jobs run demo --input @FILE$/],
    evidence: ['not read', /404/, /^GET \/v2\/demo\/status\//],
  },
  {
    steps: [SUBMIT, 'jobs explain demo JOB'],
    says: /^healthy ok: healthy: next in the queue; 1 worker: 1 initializing$/,
  },
  {
    steps: ['jobs run sleep --input \'{"seconds":60}\'', 'local clock advance 11s', 'jobs explain sleep JOB'],
    says: /^healthy ok: healthy: running for 10s$/,
    evidence: ['execution timeout', /^5m$/, /^GET \/v2\/serverless\/sleep$/],
  },
];

test.each(CASES)('$says', async ({ steps, says, cure = [], evidence, exit }) => {
  const account = createAccount();
  let job = '';
  for (const line of steps.slice(0, -1)) {
    const out = await local(account, line.replaceAll('JOB', job));
    if (line.startsWith('jobs run')) job = out;
  }
  const ran = await account(`${(steps.at(-1) ?? '').replaceAll('JOB', job)} --exit-status -o json`);
  expect(ran.err).toBe('');
  const found = JSON.parse(ran.out) as Explained;
  expect(`${found.code} ${found.state}: ${found.verdict}`).toMatch(says);
  expect(ran.code).toBe(exit ?? (found.state === 'blocked' ? 10 : 0));
  const commands = found.cure.map((line) =>
    line.replace('berth --local ', '').replaceAll(job === '' ? '\n' : job, 'JOB'),
  );
  expect(commands).toEqual(cure.map((line) => expect.stringMatching(line) as string));
  if (evidence === undefined) return;
  const [fact, value, source] = evidence;
  expect(found.evidence).toContainEqual({
    fact,
    value: expect.stringMatching(value) as string,
    source: expect.stringMatching(source) as string,
  });
});

test.each(['pods explain nope', 'endpoints explain nope', 'jobs explain nope nope'])('%s ends 4', async (line) => {
  const ran = await createAccount()(line);
  expect([ran.code, ran.out]).toEqual([4, '']);
});

test.each([
  ['HIBERNATING', 1, { code: 'unknown', verdict: 'could not tell: unknown status HIBERNATING' }],
  ['TERMINATED', 0, { code: 'terminated', state: 'blocked' }],
])('a pod that is %s ends %i', async (status, code, said) => {
  const server = await serve([json({ id: 'p1', status })]);
  const ran = await berth(['pods', 'explain', 'p1', '--json'], { env: pointedAt(server.url) });
  expect(ran.code).toBe(code);
  expect(JSON.parse(ran.out)).toMatchObject(said);
});

test('jobs explain needs no right to manage', async () => {
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

test.each([
  ['pods explain pod-train', ['/v2/pods/pod-train']],
  [
    'endpoints explain sleep',
    ['/v2/serverless/sleep', '/v2/serverless/sleep/builds', '/v2/serverless/sleep/workers', '/v2/sleep/health'],
  ],
])('%s sends what it needs', async (line, paths) => {
  const { err } = await createAccount()(`--verbose ${line}`);
  const sent = [...err.matchAll(/GET http:\/\/\S+?(\/v\d\/[\w/-]+)/g)].map(([, path]) => path);
  expect([...new Set(sent)].toSorted()).toEqual(paths);
});

test.each([
  ['pod', 60, ['local reset --seed odd --yes'], 'pods explain pod-broken'],
  ['job', 80, ['endpoints update demo --workers-max 0', SUBMIT], 'jobs explain demo JOB'],
])('%s at %i columns looks as in the golden file', async (name, columns, setup, line) => {
  const account = createAccount();
  let job = '';
  for (const each of setup) job = await local(account, each);
  const tty = { stdout: true };
  const { out } = await account(line.replace('JOB', job), { tty, columns, env: { NO_COLOR: '1' } });
  await expect(out).toMatchFileSnapshot(`../../../golden/explain/${name}-${String(columns)}.txt`);
});
