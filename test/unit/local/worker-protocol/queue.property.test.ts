import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpoints, newEndpoint, type ServedHandler } from '../../../../src/local/model/endpoints.ts';
import {
  advanceQueue,
  cancel,
  endpointChanged,
  purge,
  recordWorkerExit,
  submit,
} from '../../../../src/local/queue/engine.ts';
import { managedWorkers } from '../../../../src/local/queue/workers.ts';
import {
  injectFault,
  recordPing,
  recordProgress,
  recordResult,
  recordStreamed,
  takeJobs,
  takeStops,
} from '../../../../src/local/queue/worker-protocol.ts';
import {
  inProgress,
  type Job,
  queueOf,
  queuesOf,
  waitingCount,
  waitingJobs,
  type WorkerFault,
  workersIn,
} from '../../../../src/local/queue/records.ts';
import { createState, type State } from '../../../../src/local/state/state.ts';

const FAULTS: readonly WorkerFault['kind'][] = ['crash', 'oom', 'hang', 'silent'];

/** One step; `pick` chooses a job or a worker among those that there are. */
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('submit' as const), lowPriority: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      pick: fc.nat(5),
      count: fc.integer({ min: 1, max: 4 }),
      isWorking: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('done' as const, 'fail' as const, 'leave' as const, 'progress' as const, 'chunk' as const),
      pick: fc.nat(),
      worker: fc.nat(5),
      isOwn: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'exit' as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('ping' as const, 'stops' as const),
      pick: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), pick: fc.nat(), fault: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'purge' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('scale' as const), min: fc.nat(2), max: fc.nat(4) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 0, max: 60_000 })),
    }),
  },
);

interface World {
  readonly state: State;
  now: number;
  readonly submitted: string[];
  /** How often each job has ended, by its id. */
  readonly ends: Map<string, number>;
  /** How often a job was queued again, as `attempt` and the status tell. */
  losses: number;
}

const TIMEOUT_MS = 20_000;

function begin(handler: ServedHandler): World {
  const now = Date.UTC(2026, 0, 1);
  const state = createState(now);
  endpoints.put(state, newEndpoint('mine', handler, now));
  return { state, now, submitted: [], ends: new Map(), losses: 0 };
}

const isEnded = (job: Job | undefined): boolean => job?.finishedAt !== undefined;

/** Runs a step, and counts what became of the jobs meanwhile. */
function step(world: World, work: () => void): void {
  const { state } = world;
  const before = { ...queuesOf(state).jobs };
  work();
  for (const [id, job] of Object.entries<Job>(queuesOf(state).jobs)) {
    const old = before[id];
    if (isEnded(job) && !isEnded(old)) world.ends.set(id, (world.ends.get(id) ?? 0) + 1);
    if (isEnded(old)) expect(job).toEqual(old);
  }
}

function carryOut(world: World, what: typeof command extends fc.Arbitrary<infer T> ? T : never): void {
  const { state } = world;
  const endpoint = endpoints.find(state, 'mine');
  const queue = queueOf(state, 'mine');
  const workerIds = [...managedWorkers(state).map(({ workerId }) => workerId), 'a', 'b', '__proto__'];
  const workerAt = (pick: number): string => workerIds[pick % workerIds.length] ?? 'a';
  const jobAt = (pick: number): Job | undefined =>
    queuesOf(state).jobs[world.submitted[pick % Math.max(1, world.submitted.length)] ?? ''];
  if (what.kind === 'pass') world.now += what.ms;
  state.asOf = world.now;
  step(world, () => {
    advanceQueue(state, world.now);
  });
  step(world, () => {
    const { now } = world;
    switch (what.kind) {
      case 'submit': {
        const { lowPriority } = what;
        const submission = { sync: false, input: '{}', lowPriority, retentionMs: 1e9, ttlMs: 1e9 };
        world.submitted.push(submit(state, endpoint, { ...submission, executionTimeoutMs: TIMEOUT_MS }, now).id);
        break;
      }
      case 'take': {
        const taken = takeJobs(state, endpoint, { workerId: workerAt(what.pick), ...what }, now);
        if (taken.kind === 'jobs') expect(taken.jobs.length).toBeLessThanOrEqual(what.count);
        break;
      }
      case 'done':
      case 'fail':
      case 'leave':
      case 'progress':
      case 'chunk': {
        const job = jobAt(what.pick);
        const workerId = what.isOwn ? (job?.workerId ?? 'a') : workerAt(what.worker);
        const where = { endpointId: 'mine', workerId, jobId: job?.id ?? 'none' };
        if (what.kind === 'progress') recordProgress(state, where, '1');
        else if (what.kind === 'chunk') recordStreamed(state, where, '1');
        else {
          const outcome =
            what.kind === 'fail'
              ? ({ kind: 'error', error: 'x' } as const)
              : ({ kind: 'output', text: undefined } as const);
          recordResult(state, where, { outcome, isStream: false, isLeaving: what.kind === 'leave' }, now);
        }
        break;
      }
      case 'cancel': {
        const job = jobAt(what.pick);
        if (job !== undefined) cancel(state, job, now);
        break;
      }
      case 'exit':
        recordWorkerExit(state, 'mine', workerAt(what.pick), 'it ended', now);
        break;
      case 'ping':
        recordPing(state, 'mine', workerAt(what.pick), new Set(queue.workers[workerAt(what.pick)]?.jobIds), now);
        break;
      case 'stops':
        takeStops(state, 'mine', workerAt(what.pick));
        break;
      case 'fault': {
        const job = jobAt(what.pick);
        if (job?.status === 'IN_PROGRESS') injectFault(state, job, FAULTS[what.fault] ?? 'crash', now);
        break;
      }
      case 'release':
        endpoint.version += 1;
        endpointChanged(state, 'mine');
        break;
      case 'purge':
        purge(state, 'mine', now);
        break;
      case 'scale':
        Object.assign(endpoint.workers, { min: Math.min(what.min, what.max), max: what.max });
        endpointChanged(state, 'mine');
        break;
      case 'pass':
        break;
    }
  });
}

function check({ state, submitted, ends }: World): void {
  const queue = queueOf(state, 'mine');
  const jobs = submitted.flatMap((id) => queuesOf(state).jobs[id] ?? []);
  expect(jobs).toHaveLength(submitted.length);
  const inStatus = (status: Job['status']): readonly string[] =>
    jobs.filter((job) => job.status === status).map(({ id }) => id);
  expect(new Set([...waitingJobs(state, queue)].map(({ id }) => id))).toEqual(new Set(inStatus('IN_QUEUE')));
  expect(waitingCount(queue)).toBe(inStatus('IN_QUEUE').length);
  expect(
    workersIn(queue)
      .flatMap(({ jobIds }) => jobIds)
      .sort(),
  ).toEqual([...inStatus('IN_PROGRESS')].sort());
  for (const worker of workersIn(queue)) {
    for (const id of worker.jobIds) expect(queuesOf(state).jobs[id]?.workerId).toBe(worker.id);
    const isBusy = worker.jobIds.length + (worker.protocol?.stops.length ?? 0) > 0;
    expect([worker.id, worker.status === 'RUNNING']).toEqual([worker.id, isBusy]);
  }
  const { COMPLETED, FAILED, CANCELLED, TIMED_OUT, retried } = queue.counts;
  expect(waitingCount(queue) + inProgress(queue) + COMPLETED + FAILED + CANCELLED + TIMED_OUT).toBe(submitted.length);
  // Every attempt but the last one of each job was lost.
  const lost = jobs.map(({ attempt, status }) => (status === 'IN_QUEUE' ? attempt : Math.max(0, attempt - 1)));
  expect(retried).toBe(lost.reduce((sum, count) => sum + count, 0) - cancelledWhileWaiting(jobs));
  for (const job of jobs) expect(ends.get(job.id) ?? 0).toBe(isEnded(job) ? 1 : 0);
}

/** Jobs that were lost, and cancelled while they waited: their last attempt was lost as well. */
const cancelledWhileWaiting = (jobs: readonly Job[]): number =>
  -jobs.filter(({ status, attempt, startedAt }) => status === 'CANCELLED' && attempt > 0 && startedAt === undefined)
    .length;

test.each(['protocol', 'attach'] as const)(
  'with %s workers, in any order of requests, losses and cancels, each job ends once and the counts add up',
  (handler) => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        const world = begin(handler);
        for (const what of commands) {
          carryOut(world, what);
          check(world);
        }
        // In the end, workers that do what they are to do finish everything.
        const endpoint = endpoints.find(world.state, 'mine');
        endpoint.workers = { min: 0, max: 2, idleTimeout: 5 };
        endpointChanged(world.state, 'mine');
        for (let round = 0; round < 400; round++) {
          carryOut(world, { kind: 'pass', ms: 5000 });
          const ids = [...managedWorkers(world.state).map(({ workerId }) => workerId), 'last'];
          for (const workerId of ids)
            step(world, () => {
              const taken = takeJobs(world.state, endpoint, { workerId, count: 9, isWorking: false }, world.now);
              for (const { id } of taken.kind === 'jobs' ? taken.jobs : [])
                recordResult(
                  world.state,
                  { endpointId: 'mine', workerId, jobId: id },
                  { outcome: { kind: 'output', text: '1' }, isStream: false, isLeaving: false },
                  world.now,
                );
            });
          check(world);
          if (world.ends.size === world.submitted.length && round > 20) break;
        }
        expect(world.ends.size).toBe(world.submitted.length);
        expect(queuesOf(world.state).timers.first()?.at ?? world.now + 1).toBeGreaterThan(world.now);
      }),
      { numRuns: 50 },
    );
  },
);
