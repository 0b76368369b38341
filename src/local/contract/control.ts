import { closed, number, oneOfWords, text, whole, type Schemas } from './schema.ts';

/** Bodies outside the published contract: the older volume API, and the local service's own control requests. */
export const controlSchemas: Schemas = {
  LegacyVolumeRequest: closed(['name', 'size', 'dataCenterId'], {
    name: { ...text, minLength: 1 },
    size: { ...whole, minimum: 10, maximum: 4096 },
    dataCenterId: { ...text, minLength: 1 },
  }),
  LocalClockRequest: closed(['advanceMs'], { advanceMs: { ...whole, minimum: 0, maximum: 31_536_000_000_000 } }),
  LocalFaultRequest: closed(['kind'], {
    kind: oneOfWords('rate-limit', 'server-error', 'latency', 'drop', 'accept-drop', 'low-balance'),
    count: { ...whole, minimum: 1 },
    probability: { ...number, exclusiveMinimum: 0, maximum: 1 },
    match: { ...text, minLength: 1, pattern: '^\\s*[A-Za-z]*\\s*(/.*)?$' },
    status: { ...whole, minimum: 500, maximum: 599 },
    latencyMs: { ...whole, minimum: 0, maximum: 3_600_000 },
    retryAfter: { ...whole, minimum: 0 },
  }),
};
