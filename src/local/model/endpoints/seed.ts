import { DAY_MS } from '../../../core/durations.ts';
import { createRecordTable } from '../../state/record-table.ts';
import type { State } from '../../state/state.ts';
import { newContainer } from '../container.ts';
import { builtinOf, firstRelease, type EndpointRecord, type Served } from './record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** The endpoints of a new account: one for each built-in handler, and a hidden public model that is reachable by its slug. */
const seedEndpoints = (now: EpochMs): EndpointRecord[] => [
  ...(['echo', 'demo', 'sleep', 'fail', 'stream'] as const).map((name) => newEndpoint(name, name, now - DAY_MS)),
  { ...newEndpoint('demo-text-model', 'stream', now - DAY_MS), hidden: true },
];

/** A queue endpoint on the smallest hardware, with its first release. */
export const newEndpoint = (id: string, handler: EndpointRecord['handler'], now: EpochMs): EndpointRecord => ({
  id,
  name: id,
  type: 'QUEUE',
  createdAt: now,
  workers: { min: 0, max: 3, idleTimeout: 5 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  timeoutMs: 300_000,
  flashboot: 'OFF',
  handler,
  container: { ...newContainer(), image: builtinOf({ handler }) === undefined ? '' : `example/${handler}:1.0` },
  cpu: [{ id: 'cpu-general', vcpuCount: 2, memory: 8 }],
  dataCenterIds: [],
  networkVolumes: [],
  template: null,
  version: 1,
  releases: [firstRelease(`rel-${id}`, now)],
});

/** All endpoints, hidden ones included. */
export const endpoints = createRecordTable<EndpointRecord>('endpoints', seedEndpoints);

/**
 * Runs a step during which the endpoints of these names are served by programs of the user. The state file outlives the
 * programs, so the former handler is set again after the step. An endpoint that is created here for its program stays, with
 * its jobs; without the program its jobs fail with an explanation.
 */
export function withServed<T>(state: State, served: Readonly<Record<string, Served>>, now: EpochMs, step: () => T): T {
  const before = new Map<string, EndpointRecord['handler']>();
  for (const [name, { handler, program }] of Object.entries(served)) {
    const endpoint = endpoints.get(state, name) ?? endpoints.put(state, newEndpoint(name, 'unserved', now));
    before.set(name, endpoint.handler);
    endpoint.handler = handler;
    if (program !== undefined) endpoint.program = program;
  }
  try {
    return step();
  } finally {
    for (const [name, handler] of before) {
      const endpoint = endpoints.get(state, name);
      if (endpoint === undefined) continue;
      endpoint.handler = handler;
      delete endpoint.program;
    }
  }
}
