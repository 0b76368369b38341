import { FAULT_KINDS, FAULT_SETTINGS } from '../../../core/fault-kinds.ts';
import { BUILD_DETAILS } from './endpoints.ts';
import {
  closed,
  count,
  filledText,
  number,
  oneOfWords,
  positive,
  ref,
  text,
  whole,
  type Schema,
  type Schemas,
} from './schema.ts';
import { volumeSize } from './volumes.ts';

const bounded = ({ minimum, maximum }: { readonly minimum: number; readonly maximum?: number }): Schema => ({
  ...whole,
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

const percent: Schema = { ...count, maximum: 100 };

/** Milliseconds of the service's clock. */
const span: Schema = { ...positive, maximum: 31_536_000_000_000 };

/** For how long a change holds, and after which time it holds again. */
const SPAN: Schemas = { forMs: span, everyMs: span };

/** Bodies outside the published contract: the older volume API, and the local service's own control requests. */
export const controlSchemas: Schemas = {
  LegacyVolumeRequest: closed({
    name: filledText,
    size: volumeSize,
    dataCenterId: filledText,
  }),
  LocalBuildRequest: closed({ status: ref('BuildStatus') }, { id: filledText, ...BUILD_DETAILS }),
  LocalClockRequest: closed({ advanceMs: { ...count, maximum: 31_536_000_000_000 } }),
  LocalUseRequest: closed({}, { gpu: percent, cpu: percent, memory: percent, forMs: span }),
  LocalStockRequest: closed(
    { hardware: filledText, free: { ...count, maximum: 1_000_000 } },
    { dataCenter: filledText, ...SPAN },
    { dependentRequired: { everyMs: ['forMs'] } },
  ),
  LocalPriceRequest: closed(
    { hardware: filledText, price: { ...number, minimum: 0, maximum: 1_000_000 } },
    { cloud: oneOfWords('SECURE', 'COMMUNITY'), ...SPAN },
    { dependentRequired: { everyMs: ['forMs'] } },
  ),
  LocalFaultRequest: closed(
    { kind: oneOfWords(...FAULT_KINDS.map(({ name }) => name)) },
    {
      count: positive,
      probability: { ...number, exclusiveMinimum: 0, maximum: 1 },
      match: { ...text, minLength: 1, pattern: '^\\s*[A-Za-z]*\\s*(/.*)?$' },
      endpoint: filledText,
      detail: filledText,
      ...Object.fromEntries(Object.entries(FAULT_SETTINGS).map(([member, setting]) => [member, bounded(setting)])),
    },
  ),
};
