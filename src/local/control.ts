import type { Json } from '../core/json.ts';
import type { FaultRecord } from './faults.ts';
import type { Operation } from './operation.ts';
import { notFound } from './problem.ts';
import { nextId, type State } from './state.ts';
import { bodyOf } from './validate.ts';

const row = (method: Operation['method'], path: string, rest: Pick<Operation, 'id' | 'run'> & { body?: string }) =>
  ({ service: 'control', scope: 'control', method, path, ...rest }) satisfies Operation;

/**
 * What only a local service has: `berth local status`, `reset`, `clock` and `fault`. `reset` puts a fresh state in
 * place of whatever there is, unreadable ones included.
 */
export const createControl = (reset: () => Promise<void>): readonly Operation[] => [
  row('GET', '/local/status', {
    id: 'localStatus',
    run: async (call) => ({ status: 200, body: await call.transact(statusOf) }),
  }),
  row('POST', '/local/reset', {
    id: 'localReset',
    run: async (call) => {
      await reset();
      return { status: 200, body: await call.transact(statusOf) };
    },
  }),
  row('POST', '/local/clock', {
    id: 'localClock',
    body: 'LocalClockRequest',
    run: async (call) => {
      const { advanceMs } = bodyOf(call) as { advanceMs: number };
      await call.transact((state) => {
        state.clockOffsetMs += advanceMs;
      });
      // A second step, so that the state is brought up to the new time before anyone looks.
      return { status: 200, body: await call.transact(clockOf) };
    },
  }),
  row('GET', '/local/clock', {
    id: 'localClockNow',
    run: async (call) => ({ status: 200, body: await call.transact(clockOf) }),
  }),
  row('GET', '/local/fault', {
    id: 'localFaults',
    run: async (call) => ({ status: 200, body: await call.transact(faultsOf) }),
  }),
  row('POST', '/local/fault', {
    id: 'localFaultAdd',
    body: 'LocalFaultRequest',
    run: async (call) => {
      const asked = bodyOf(call) as Omit<FaultRecord, 'id'>;
      const fault = await call.transact((state) => {
        const added: FaultRecord = { id: nextId(state, 'fault'), ...asked };
        state.faults.push(added);
        return added;
      });
      return { status: 201, body: { ...fault } };
    },
  }),
  row('DELETE', '/local/fault', {
    id: 'localFaultClear',
    run: async (call) => {
      await call.transact((state) => {
        state.faults = [];
      });
      return { status: 204 };
    },
  }),
  row('DELETE', '/local/fault/{id}', {
    id: 'localFaultRemove',
    run: async (call) => {
      await call.transact((state) => {
        if (!state.faults.some(({ id }) => id === call.params['id'])) throw notFound('fault not found');
        state.faults = state.faults.filter(({ id }) => id !== call.params['id']);
      });
      return { status: 204 };
    },
  }),
];

const clockOf = (state: State, now: number): Json => ({
  now: new Date(now).toISOString(),
  advancedMs: state.clockOffsetMs,
});

const faultsOf = (state: State): Json => ({ faults: state.faults.map((fault) => ({ ...fault })) });

function statusOf(state: State, now: number): Json {
  const jobs: Record<string, number> = {};
  for (const { status } of Object.values(state.queue.jobs)) jobs[status] = (jobs[status] ?? 0) + 1;
  return {
    ...(clockOf(state, now) as object),
    pods: Object.values(state.pods).filter(({ life }) => life.kind !== 'terminated').length,
    endpoints: Object.keys(state.endpoints).length,
    networkVolumes: Object.keys(state.volumes).length,
    delegations: Object.keys(state.delegations).length,
    jobs,
    ...(faultsOf(state) as object),
  };
}
