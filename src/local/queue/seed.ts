import type { EndpointRecord } from '../state.ts';

interface Seed {
  readonly id: string;
  readonly handler: EndpointRecord['handler'];
  readonly hidden?: boolean;
}

const SEEDS: readonly Seed[] = [
  { id: 'echo', handler: 'echo' },
  { id: 'demo', handler: 'demo' },
  { id: 'sleep', handler: 'sleep' },
  { id: 'fail', handler: 'fail' },
  { id: 'stream', handler: 'stream' },
  { id: 'demo-text-model', handler: 'stream', hidden: true },
];

/**
 * The endpoints of a new account, one for each built-in handler, and a hosted public model that answers to its slug:
 * that one has `document.hidden`, and lists of the account's endpoints leave it out.
 */
export const seedEndpoints = (now: number): EndpointRecord[] =>
  SEEDS.map(({ id, handler, hidden }) => ({
    ...newEndpoint(id, id, handler, now),
    document: {
      image: `example/${handler}:1.0`,
      args: '',
      disk: 20,
      ports: [],
      env: {},
      registry: null,
      cpu: [{ id: 'cpu-general', vcpuCount: 2, memory: 8 }],
      dataCenterIds: [],
      networkVolumes: [],
      flashboot: 'OFF',
      ...(hidden === true && { hidden }),
    },
  }));

/** A queue endpoint with the service's defaults (contract rules, Serverless endpoints) and an empty document. */
export const newEndpoint = (
  id: string,
  name: string,
  handler: EndpointRecord['handler'],
  now: number,
): EndpointRecord => ({
  id,
  name,
  type: 'QUEUE',
  createdAt: now,
  workers: { min: 0, max: 3, idleTimeout: 5 },
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  timeoutMs: 300_000,
  version: 1,
  handler,
  document: {},
});
