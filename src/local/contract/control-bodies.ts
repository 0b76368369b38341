import { FAULT_KINDS, FAULT_SETTINGS } from '../../core/fault-kinds.ts';
import { contract, type Schema } from './document.ts';

const text: Schema = { type: 'string', minLength: 1 };
const integer = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

/** Milliseconds of the service's clock. */
const MAX_SPAN = 31_536_000_000_000;
/** For how long a change holds, and after which time it holds again. */
const SPAN = { forMs: integer(1, MAX_SPAN), everyMs: integer(1, MAX_SPAN) };
const percent = integer(0, 100);

const closed = (required: object, optional: object = {}, rules: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(required),
  properties: { ...required, ...optional },
  ...rules,
});

/** Bodies outside the contract: the older volume API, and the local service's own control requests. */
export const CONTROL_BODIES: Readonly<Record<string, Schema>> = {
  LegacyVolumeRequest: closed({ name: text, size: integer(10, 4096), dataCenterId: text }),
  LocalBuildRequest: closed(
    { status: { $ref: '#/components/schemas/BuildStatus' } },
    { ...(contract.components.schemas['Build']?.['properties'] as object), id: text },
  ),
  LocalClockRequest: closed({ advanceMs: integer(0, MAX_SPAN) }),
  LocalUseRequest: closed({}, { gpu: percent, cpu: percent, memory: percent, forMs: SPAN.forMs }),
  LocalStockRequest: closed(
    { hardware: text, free: integer(0, 1_000_000) },
    { dataCenter: text, ...SPAN },
    { dependentRequired: { everyMs: ['forMs'] } },
  ),
  LocalPriceRequest: closed(
    { hardware: text, price: { type: 'number', minimum: 0, maximum: 1_000_000 } },
    { cloud: { enum: ['SECURE', 'COMMUNITY'] }, ...SPAN },
    { dependentRequired: { everyMs: ['forMs'] } },
  ),
  LocalFaultRequest: closed(
    { kind: { enum: FAULT_KINDS } },
    {
      count: integer(1),
      probability: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      match: { ...text, pattern: '^\\s*[A-Za-z]*\\s*(/.*)?$' },
      endpoint: text,
      detail: text,
      ...Object.fromEntries(
        Object.entries<{ minimum: number; maximum?: number }>(FAULT_SETTINGS).map(([member, { minimum, maximum }]) => [
          member,
          integer(minimum, maximum),
        ]),
      ),
    },
  ),
};
