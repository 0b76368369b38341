import { FAULT_KINDS, FAULT_SETTINGS } from '../../core/fault-kinds.ts';
import { closed, number, oneOfWords, text, whole, type Schema, type Schemas } from './schema.ts';

const bounded = ({ minimum, maximum }: { readonly minimum: number; readonly maximum?: number }): Schema => ({
  ...whole,
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

/** Bodies outside the published contract: the older volume API, and the local service's own control requests. */
export const controlSchemas: Schemas = {
  LegacyVolumeRequest: closed(['name', 'size', 'dataCenterId'], {
    name: { ...text, minLength: 1 },
    size: { ...whole, minimum: 10, maximum: 4096 },
    dataCenterId: { ...text, minLength: 1 },
  }),
  LocalClockRequest: closed(['advanceMs'], { advanceMs: { ...whole, minimum: 0, maximum: 31_536_000_000_000 } }),
  LocalStockRequest: closed(['hardware', 'free'], {
    hardware: { ...text, minLength: 1 },
    free: { ...whole, minimum: 0, maximum: 1_000_000 },
    dataCenter: { ...text, minLength: 1 },
  }),
  LocalFaultRequest: closed(['kind'], {
    kind: oneOfWords(...FAULT_KINDS.map(({ name }) => name)),
    count: { ...whole, minimum: 1 },
    probability: { ...number, exclusiveMinimum: 0, maximum: 1 },
    match: { ...text, minLength: 1, pattern: '^\\s*[A-Za-z]*\\s*(/.*)?$' },
    ...Object.fromEntries(Object.entries(FAULT_SETTINGS).map(([member, setting]) => [member, bounded(setting)])),
  }),
};
