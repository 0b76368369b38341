import type { Json } from '../../core/json.ts';
import { advanceClock } from '../state/clock.ts';
import { unpublished } from '../contract/operation.ts';
import type { FaultRecord } from '../frame/faults.ts';
import type { Operation } from '../frame/operation.ts';
import { notFound } from '../contract/problem.ts';
import { delegations } from './registries/delegations.ts';
import { nextId, type State } from '../state/state.ts';
import { bodyOf } from '../frame/validate.ts';

type Rest = Omit<Parameters<typeof unpublished>[2], 'service'>;

const row = (id: string, request: string, rest: Rest): Operation =>
  unpublished(id, request, { service: 'control', ...rest });

/**
 * What only a local service has: `berth local status`, `reset`, `clock` and `fault`. `reset` puts a fresh state in
 * place of whatever there is, unreadable ones included.
 */
export const createControl = (reset: () => Promise<void>): readonly Operation[] => [
  row('localStatus', 'GET /local/status', {
    run: async (call) => ({ status: 200, body: await call.transact(statusOf) }),
  }),
  row('localReset', 'POST /local/reset', {
    run: async (call) => {
      await reset();
      return { status: 200, body: await call.transact(statusOf) };
    },
  }),
  row('localClock', 'POST /local/clock', {
    body: 'LocalClockRequest',
    run: async (call) => {
      const { advanceMs } = bodyOf(call) as { advanceMs: number };
      await call.transact((state) => {
        advanceClock(state, advanceMs);
      });
      // A second step, so that the state is brought up to the new time before anyone looks.
      return { status: 200, body: await call.transact(clockOf) };
    },
  }),
  row('localClockNow', 'GET /local/clock', {
    run: async (call) => ({ status: 200, body: await call.transact(clockOf) }),
  }),
  row('localFaults', 'GET /local/fault', {
    run: async (call) => ({ status: 200, body: await call.transact(faultsOf) }),
  }),
  row('localFaultAdd', 'POST /local/fault', {
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
  row('localFaultClear', 'DELETE /local/fault', {
    run: async (call) => {
      await call.transact((state) => {
        state.faults = [];
      });
      return { status: 204 };
    },
  }),
  row('localFaultRemove', 'DELETE /local/fault/{id}', {
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

/** What each list would show. */
function statusOf(state: State, now: number): Json {
  const jobs: Record<string, number> = {};
  for (const { status } of Object.values(state.queue.jobs)) jobs[status] = (jobs[status] ?? 0) + 1;
  return {
    ...(clockOf(state, now) as object),
    pods: Object.values(state.pods).filter(({ life }) => life.kind !== 'terminated').length,
    clusters: Object.keys(state.clusters).length,
    endpoints: Object.values(state.endpoints).filter(({ hidden }) => hidden !== true).length,
    templates: Object.values(state.templates).filter(({ publisher }) => publisher === undefined).length,
    networkVolumes: Object.keys(state.volumes).length,
    registries: Object.keys(state.registries).length,
    delegations: delegations.all(state).length,
    jobs,
    ...(faultsOf(state) as object),
  };
}
