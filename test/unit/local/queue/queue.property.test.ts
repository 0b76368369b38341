import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DroppedConnection } from '../../../../src/local/http/faults.ts';
import { memoryStore } from '../../../../src/local/state/store.ts';
import { attached, type AttachedService } from '../../../support/local/attached-service.ts';
import { exit, KILLED, managed, workerIds } from '../../../support/local/managed-service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';
import { copyOf } from '../../../support/local/saved-state.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

/** `mine` has workers that the test plays; the others are built in. */
const ENDPOINTS = ['mine', 'sleep', 'fail'] as const;
const endpoint = fc.constantFrom(...ENDPOINTS);
const pick = fc.nat(30);

/** Of a user. `pick` chooses among the jobs or workers that there are. */
const used = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      endpoint,
      input: fc.constantFrom({ seconds: 3 }, { seconds: 60 }, { times: 1 }),
      lowPriority: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'retry' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('purge' as const, 'release' as const), endpoint }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('scale' as const), endpoint, min: fc.nat(2), max: fc.nat(4) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 0, max: 60_000 })),
    }),
  },
);
/** Of a worker, and of what may befall it. */
const worked = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('take' as const), pick, count: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'output' as const,
        'error' as const,
        'stopPod' as const,
        'progress' as const,
        'chunk' as const,
      ),
      pick,
      worker: pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('ping' as const, 'exit' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), pick }) },
);
type Command =
  typeof used extends fc.Arbitrary<infer U> ? U | (typeof worked extends fc.Arbitrary<infer W> ? W : never) : never;

const FAULTS = ['worker-crash', 'worker-oom', 'worker-hang', 'worker-silent'];
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'];

interface Job {
  readonly endpoint: string;
  readonly id: string;
  /** How it has ended, as far as somebody has looked. */
  end?: string;
}

async function carryOut(local: AttachedService, jobs: Job[], what: Command): Promise<void> {
  const { send } = local;
  const ids = [...workerIds(local), local.worker.id, '__proto__'];
  const workerAt = (at: number) => attachWorker(local.service, 'mine', ids[at % ids.length]);
  const job = 'pick' in what ? jobs[what.pick % Math.max(1, jobs.length)] : undefined;
  switch (what.kind) {
    case 'run': {
      const policy = { lowPriority: what.lowPriority, executionTimeout: 20_000 };
      const { body } = await send('POST', `/v2/${what.endpoint}/run`, { input: what.input, policy });
      expect(jobs.map(({ id }) => id)).not.toContain(body['id']);
      jobs.push({ endpoint: what.endpoint, id: String(body['id']) });
      break;
    }
    case 'cancel':
    case 'retry': {
      if (job === undefined) break;
      const { status } = await send('POST', `/v2/${job.endpoint}/${what.kind}/${job.id}`);
      if (what.kind === 'retry' && status === 200) delete job.end;
      break;
    }
    case 'purge':
      expect((await send('POST', `/v2/${what.endpoint}/purge-queue`)).status).toBe(200);
      expect(await healthOf(local, what.endpoint)).toMatchObject({ jobs: { inQueue: 0 } });
      break;
    case 'release':
      await send('PATCH', `/v2/serverless/${what.endpoint}`, { env: { VERSION: String(jobs.length) } });
      break;
    case 'scale': {
      const workers = { min: Math.min(what.min, what.max), max: what.max };
      await send('PATCH', `/v2/serverless/${what.endpoint}`, { workers });
      break;
    }
    case 'pass':
      local.clock.advance(what.ms);
      break;
    case 'take':
      expect((await (await workerAt(what.pick)).takeBatch(what.count, true)).length).toBeLessThanOrEqual(what.count);
      break;
    case 'ping':
      await (await workerAt(what.pick)).get('ping', `job_id=${job?.id ?? ''}`);
      break;
    case 'exit':
      exit(local, ids[what.pick % ids.length] ?? '', KILLED);
      break;
    case 'fault':
      await send('POST', '/local/fault', { kind: FAULTS[what.pick % FAULTS.length], count: 1 });
      break;
    case 'progress':
      await (await workerAt(what.worker)).post(`job-done/${job?.id ?? ''}`, { status: 'IN_PROGRESS', output: 1 });
      break;
    case 'chunk':
      await (await workerAt(what.worker)).post(`job-stream/${job?.id ?? ''}`, { output: 1 });
      break;
    default:
      await (await workerAt(what.worker)).post(`job-done/${job?.id ?? ''}`, { output: 1, [what.kind]: true });
  }
}

type Counts = Readonly<Record<string, number>>;
const healthOf = async ({ send }: LocalFixture, of: string) =>
  (await send('GET', `/v2/${of}/health`)).body as { readonly jobs: Counts; readonly workers: Counts };

/** The counts of each endpoint add up, and what has ended stays as it is. */
async function check(local: AttachedService, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const { status, body } = await local.send('GET', `/v2/${job.endpoint}/status/${job.id}`);
    // Half an hour after its end.
    if (status === 404) expect([job.id, job.end]).toEqual([job.id, expect.any(String)]);
    else if (job.end !== undefined) expect([job.id, body['status']]).toEqual([job.id, job.end]);
    else if (ENDED.includes(String(body['status']))) job.end = String(body['status']);
  }
  for (const of of ENDPOINTS) {
    const { jobs: counted, workers } = await healthOf(local, of);
    const { inQueue = 0, inProgress = 0, completed = 0, failed = 0, cancelled = 0 } = counted;
    const here = jobs.filter((job) => job.endpoint === of);
    expect([of, inQueue + inProgress + completed + failed + cancelled]).toEqual([of, here.length]);
    expect(here.filter(({ end }) => end === undefined)).toHaveLength(inQueue + inProgress);
    // A worker takes one job, unless the test plays it.
    expect(workers['running']).toBeGreaterThanOrEqual(of === 'mine' ? Math.min(1, inProgress) : inProgress);
  }
}

/** A fault of a worker cuts the connection of its request. */
const unlessDropped = async (work: Promise<void>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof DroppedConnection)) throw error;
  });
};

test.each([
  ['attached', attached],
  ['managed', managed],
])(
  'with %s workers, in any order of requests, losses and cancels, each job ends once and the counts add up',
  async (_, begin) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(used, worked), { maxLength: 60, size: 'max' }), async (commands) => {
        const local = await begin();
        const jobs: Job[] = [];
        for (const what of commands) {
          await unlessDropped(carryOut(local, jobs, what));
          if (what.kind === 'pass') await check(local, jobs);
        }
        // In the end, workers that do what they are to do finish everything.
        await local.send('DELETE', '/local/fault');
        const workers = { min: 0, max: 2 };
        for (const of of ENDPOINTS) await local.send('PATCH', `/v2/serverless/${of}`, { workers });
        for (let round = 0; round < 60 && jobs.some(({ end }) => end === undefined); round++) {
          local.clock.advance(5000);
          for (const id of [...workerIds(local), 'last']) {
            const worker = await attachWorker(local.service, 'mine', id);
            for (const job of await worker.takeBatch(9, true)) await worker.done(job.id, 1);
          }
          await check(local, jobs);
        }
        expect(jobs.filter(({ end }) => end === undefined)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  },
);

test('one long step ends where many short ones end, and a state that was written and read goes on the same', async () => {
  const steps = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(used, { minLength: 1, maxLength: 20 }), steps, async (commands, short) => {
      const local = await attached();
      const jobs: Job[] = [];
      for (const what of commands) await carryOut(local, jobs, what);
      let state = copyOf(local.state);
      let now = local.clock.now();
      const stepwise = () => {
        const next = localFixture({ handlers: { mine: { kind: 'attach' } }, store: memoryStore(state) });
        next.clock.advance(now - next.clock.now());
        return next;
      };
      for (const step of short) {
        now += step;
        await stepwise().send('GET', '/v2/sleep/health');
        state = copyOf(state);
      }
      local.clock.advance(now - local.clock.now());
      const paths = [
        ...ENDPOINTS.map((of) => `${of}/health`),
        ...jobs.map((job) => `${job.endpoint}/status/${job.id}`),
      ];
      for (const path of paths)
        expect([path, (await stepwise().send('GET', `/v2/${path}`)).text]).toEqual([
          path,
          (await local.send('GET', `/v2/${path}`)).text,
        ]);
    }),
    { numRuns: 30 },
  );
});
