import type { EndpointRecord } from './model/endpoints/record.ts';
import { newEndpoint, seedEndpoints } from './model/endpoints/seed.ts';
import { SEED_SSH_KEY, seedPods } from './model/pods/seed.ts';
import { seedQueue } from './queue/index.ts';
import { freshUsage } from './frame/rate-limit.ts';
import { byId, noRecords, recordsFrom } from './state/records.ts';
import { NO_GENERATION, type State } from './state/state.ts';
import { seedTemplates } from './model/templates/seed.ts';
import type { VolumeRecord } from './model/volumes.ts';

const DAY = 86_400_000;

/** Where the ids of a new state go on. */
export interface Origin {
  readonly generation: string;
  readonly serial: number;
}

/** A first state, or one after another: of neither does an id come again. `random` gives 0 up to, not including, 1. */
export function originAfter(previous: State | undefined, random: () => number): Origin {
  const drawn = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const generation = drawn === previous?.generation ? `${drawn}${String(previous.serial)}` : drawn;
  return { generation, serial: previous?.serial ?? 0 };
}

/** A new account as of a moment: hardware in use, storage, endpoints of the built-in handlers. The same every time. */
export const seed = (
  now: number,
  { generation, serial }: Origin = { generation: NO_GENERATION, serial: 0 },
): State => ({
  version: 4,
  since: now,
  generation,
  clockOffsetMs: 0,
  asOf: now,
  wallAt: now,
  serial,
  endpoints: byId(seedEndpoints(now)),
  queue: seedQueue(now),
  pods: byId(seedPods(now)),
  clusters: noRecords(),
  volumes: byId(seedVolumes(now)),
  storage: recordsFrom(
    seedVolumes(now).map(({ id, type, size, createdAt }) => [id, { type, sizes: [{ at: createdAt, size }] }]),
  ),
  templates: byId(seedTemplates()),
  registries: byId([{ id: 'reg-team', name: 'team registry' }]),
  shelves: noRecords(),
  sshKeys: [SEED_SSH_KEY],
  rate: freshUsage(now),
  faults: [],
});

const seedVolumes = (now: number): readonly VolumeRecord[] => [
  {
    id: 'vol-datasets',
    name: 'datasets',
    size: 2048,
    dataCenter: 'EU-NORTH-1',
    type: 'HIGH_PERFORMANCE',
    createdAt: now - 60 * DAY,
  },
  {
    id: 'vol-checkpoints',
    name: 'checkpoints',
    size: 500,
    dataCenter: 'US-EAST-1',
    type: 'STANDARD',
    createdAt: now - 40 * DAY,
  },
  { id: 'vol-scratch', name: 'scratch', size: 10, dataCenter: 'EU-WEST-1', type: 'STANDARD', createdAt: now - DAY },
];

/**
 * One step on a state whose endpoints of these names are served by handler modules. Only for as long as it takes: a state
 * file outlives the modules, so an endpoint keeps in it the handler it has without one. One that is there for its module
 * alone stays, with its jobs, as an endpoint whose jobs fail and say what is missing.
 */
export function withModules<T>(state: State, names: readonly string[], now: number, step: () => T): T {
  const before = new Map<string, EndpointRecord['handler']>();
  for (const name of names) {
    const known = state.endpoints[name];
    const endpoint = known ?? newEndpoint(name, name, 'unserved', now);
    before.set(name, endpoint.handler);
    endpoint.handler = 'module';
    state.endpoints[name] = endpoint;
  }
  try {
    return step();
  } finally {
    for (const [name, handler] of before) {
      const endpoint = state.endpoints[name];
      if (endpoint !== undefined) endpoint.handler = handler;
    }
  }
}
