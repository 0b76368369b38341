import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advanceQueue,
  cancel,
  endpointChanged,
  purge,
  retry,
  setTimeToLive,
  submit,
} from '../../../../src/local/queue/engine.ts';
import {
  type Job,
  type JobStatus,
  queueOf,
  queuesOf,
  waitingCount,
  waitingJobs,
  workersIn,
} from '../../../../src/local/queue/records.ts';
import { expiryOf, isTerminal } from '../../../../src/local/queue/job-changes.ts';
import type { State } from '../../../../src/local/state/state.ts';
import { endpoints } from '../../../../src/local/model/endpoints.ts';
import { copyOf } from '../../../support/local/saved-state.ts';
import { createHarness } from '../../../support/local/queue-fixture.ts';

type Command =
  | { readonly kind: 'run'; readonly endpointId: string; readonly input: string; readonly lowPriority: boolean }
  | { readonly kind: 'cancel' | 'retry'; readonly pick: number }
  | { readonly kind: 'ttl'; readonly pick: number; readonly ms: number }
  | { readonly kind: 'purge'; readonly endpointId: string }
  | { readonly kind: 'scale'; readonly endpointId: string; readonly min: number; readonly max: number }
  | { readonly kind: 'release'; readonly endpointId: string }
  | { readonly kind: 'pass'; readonly ms: number };

const endpointId = fc.constantFrom('echo', 'sleep', 'fail', 'stream');
const pick = fc.nat();
const span = fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 120_000 }));
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      endpointId,
      input: fc.constantFrom('{"seconds":3}', '{"seconds":60}', '{"times":1}', '{}'),
      lowPriority: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'retry' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ttl' as const), pick, ms: span }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), endpointId }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('scale' as const), endpointId, min: fc.nat(2), max: fc.nat(4) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), endpointId }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: span }) },
);

const EXECUTION_TIMEOUT_MS = 20_000;

/** The jobs that are there, by their ids, and how many each endpoint was given. */
class Known extends Map<string, Job> {
  readonly submitted = new Map<string, number>();
}

/** Carries a command out as the operations do: the state is brought up to now first. */
function carryOut(state: State, known: Known, now: number, what: Command): number {
  const at = what.kind === 'pass' ? now + what.ms : now;
  advanceQueue(state, at);
  const picked = (index: number): Job | undefined =>
    queuesOf(state).jobs[[...known.keys()][index % Math.max(1, known.size)] ?? ''];
  switch (what.kind) {
    case 'run': {
      const endpoint = endpoints.get(state, what.endpointId);
      if (endpoint === undefined) throw new Error('no endpoint');
      const { input, lowPriority } = what;
      const retentionMs = 60_000;
      const submission = { sync: false, input, lowPriority, retentionMs, ttlMs: 100_000 };
      const job = submit(state, endpoint, { ...submission, executionTimeoutMs: EXECUTION_TIMEOUT_MS }, at);
      expect(known.has(job.id)).toBe(false);
      known.set(job.id, job);
      known.submitted.set(endpoint.id, (known.submitted.get(endpoint.id) ?? 0) + 1);
      break;
    }
    case 'cancel': {
      const job = picked(what.pick);
      if (job !== undefined)
        expect(cancel(state, job, at).status).toBe(isTerminal(job.status) ? job.status : 'CANCELLED');
      break;
    }
    case 'retry': {
      const job = picked(what.pick);
      if (job === undefined) break;
      const retried = retry(state, job, at);
      expect(retried !== undefined).toBe(job.status === 'FAILED' || job.status === 'TIMED_OUT');
      if (retried !== undefined) {
        expect(retried).toMatchObject({
          id: job.id,
          input: job.input,
          status: 'IN_QUEUE',
          submittedAt: job.submittedAt,
        });
        for (const gone of ['output', 'error', 'startedAt', 'finishedAt'] as const)
          expect(retried[gone]).toBeUndefined();
        known.set(job.id, retried);
      }
      break;
    }
    case 'ttl': {
      const job = picked(what.pick);
      if (job !== undefined) known.set(job.id, setTimeToLive(state, job, at + 1 + what.ms));
      break;
    }
    case 'purge':
      expect(purge(state, what.endpointId, at)).toBeGreaterThanOrEqual(0);
      expect(waitingCount(queueOf(state, what.endpointId))).toBe(0);
      break;
    case 'scale':
      Object.assign(endpoints.get(state, what.endpointId)?.workers ?? {}, {
        min: Math.min(what.min, what.max),
        max: what.max,
      });
      endpointChanged(state, what.endpointId);
      break;
    case 'release': {
      const endpoint = endpoints.get(state, what.endpointId);
      if (endpoint !== undefined) endpoint.version += 1;
      endpointChanged(state, what.endpointId);
      break;
    }
    case 'pass':
      break;
  }
  return at;
}

/** What must hold between any two commands; `last` is when it was last looked at. */
function check(state: State, known: Known, last: number, now: number): void {
  for (const [id, before] of known) {
    const job = queuesOf(state).jobs[id];
    if (job === undefined) {
      // Only an expiry removes a job; one that had not ended when last seen may have done so just after.
      const earliest = isTerminal(before.status) ? expiryOf(before) : Math.min(before.ttlAt, last + before.retentionMs);
      expect(earliest).toBeLessThanOrEqual(now);
      known.delete(id);
      continue;
    }
    expect(job.id).toBe(id);
    expect(expiryOf(job)).toBeGreaterThan(now);
    if (isTerminal(before.status)) expect(job).toMatchObject({ status: before.status, attempt: before.attempt });
    known.set(id, job);
  }
  expect(Object.keys(queuesOf(state).jobs).sort()).toEqual([...known.keys()].sort());

  for (const endpoint of endpoints.all(state)) {
    const lane = queueOf(state, endpoint.id);
    const jobs = [...known.values()].filter((job) => job.endpointId === endpoint.id);
    const inState = (status: JobStatus): string[] => jobs.filter((job) => job.status === status).map(({ id }) => id);
    expect([...waitingJobs(state, lane)].map(({ id }) => id).sort()).toEqual(inState('IN_QUEUE').sort());
    expect(waitingCount(lane)).toBe(inState('IN_QUEUE').length);
    const running = workersIn(lane).filter(({ status }) => status === 'RUNNING');
    expect(running.flatMap(({ jobIds }) => jobIds).sort()).toEqual(inState('IN_PROGRESS').sort());
    for (const worker of running) expect(queuesOf(state).jobs[worker.jobIds[0] ?? '']?.workerId).toBe(worker.id);
    const { retried: _retried, ...ended } = lane.counts;
    const endedCount = Object.values(ended).reduce((sum, count) => sum + count, 0);
    expect(waitingCount(lane) + running.length + endedCount).toBe(known.submitted.get(endpoint.id) ?? 0);
  }
  expect(queuesOf(state).timers.first()?.at ?? now + 1).toBeGreaterThan(now);
}

describe('the queue under any sequence of commands', () => {
  test('counts add up, no job is lost, and ended jobs stay ended', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const { state, clock } = createHarness();
        const known = new Known();
        let now = clock.now();
        for (const what of commands) {
          const last = now;
          now = carryOut(state, known, now, what);
          check(state, known, last, now);
        }
        // In the end everything comes to rest: nothing is forgotten in a queue that has workers.
        for (const endpoint of endpoints.all(state)) {
          endpoint.workers = { min: 0, max: 2, idleTimeout: 5 };
          endpointChanged(state, endpoint.id);
        }
        now += 2_000_000;
        advanceQueue(state, now);
        advanceQueue(state, now + 2_000_000);
        expect(queuesOf(state).jobs).toEqual({});
        expect(Object.values(queuesOf(state).byEndpoint).flatMap(workersIn)).toEqual([]);
        expect(queuesOf(state).timers.first()).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  test('one long step ends where many short ones end, and a state that was written and read goes on the same', () => {
    fc.assert(
      fc.property(
        fc.array(
          command.filter(({ kind }) => kind !== 'pass'),
          { minLength: 1, maxLength: 20 },
        ),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 30 }),
        (commands, steps) => {
          const { state, clock } = createHarness();
          const known = new Known();
          let now = clock.now();
          for (const what of commands) now = carryOut(state, known, now, what);
          let stepwise = copyOf(state);
          for (const step of steps) {
            now += step;
            advanceQueue(stepwise, now);
            stepwise = copyOf(stepwise);
          }
          advanceQueue(state, now);
          expect(queuesOf(stepwise).jobs).toEqual(queuesOf(state).jobs);
          expect(queuesOf(stepwise).byEndpoint).toEqual(queuesOf(state).byEndpoint);
        },
      ),
      { numRuns: 60 },
    );
  });
});
