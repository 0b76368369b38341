import type { EndpointRecord } from './record.ts';
import { firstRelease } from '../../resources/endpoints/releases.ts';

/**
 * The endpoints of a new account, one for each built-in handler, and a hosted public model that answers to its slug:
 * lists of the account's endpoints leave that one out.
 */
export const seedEndpoints = (now: number): EndpointRecord[] => [
  newEndpoint('echo', 'echo', 'echo', now),
  newEndpoint('demo', 'demo', 'demo', now),
  newEndpoint('sleep', 'sleep', 'sleep', now),
  newEndpoint('fail', 'fail', 'fail', now),
  newEndpoint('stream', 'stream', 'stream', now),
  { ...newEndpoint('demo-text-model', 'demo-text-model', 'stream', now), hidden: true },
];

/** A queue endpoint on the smallest hardware, as of its first release. */
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
  flashboot: 'OFF',
  handler,
  container: {
    image: handler === 'module' ? '' : `example/${handler}:1.0`,
    args: '',
    disk: 20,
    ports: [],
    env: {},
    registry: null,
  },
  cpu: [{ id: 'cpu-general', vcpuCount: 2, memory: 8 }],
  dataCenterIds: [],
  networkVolumes: [],
  template: null,
  version: 1,
  releases: [firstRelease(`rel-${id}`, now)],
});
