import type { JsonObject } from '../../core/json.ts';
import { GUARD_ACTIONS, POD_STATUSES, SPENT_SINCE } from './rules.ts';

/** Objects of policies as a JSON Schema describes them. */
const objectSchema = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required }),
});
const TEXT_SCHEMA = { type: 'string', minLength: 1 } as const;
const TEXTS_SCHEMA = { anyOf: [TEXT_SCHEMA, { type: 'array', items: TEXT_SCHEMA }] };
const STATUS_SCHEMA = { enum: POD_STATUSES };
const DURATION_SCHEMA = { type: 'string', pattern: '^\\s*(\\d+(\\.\\d+)?(ms|s|m|h|d|w))+\\s*$' };
const AMOUNT_SCHEMA = { type: 'number', minimum: 0 };

/** The JSON Schema of a policy, for editors. `readPolicy` accepts the same documents. */
export const POLICY_SCHEMA: JsonObject = objectSchema({
  deadlines: { type: 'boolean', description: 'keep the deadlines of pods (default true)' },
  allowTerminate: { type: 'boolean', description: 'rules and deadlines may terminate pods (default false)' },
  maxActions: { type: 'number', minimum: 1, description: 'the most actions of one sweep (default 10)' },
  rules: {
    type: 'array',
    items: objectSchema(
      {
        name: TEXT_SCHEMA,
        select: objectSchema({
          match: { ...TEXTS_SCHEMA, description: 'patterns of names' },
          status: { anyOf: [STATUS_SCHEMA, { type: 'array', items: STATUS_SCHEMA }] },
          dataCenter: TEXTS_SCHEMA,
          gpu: TEXTS_SCHEMA,
          olderThan: DURATION_SCHEMA,
          costAbove: { ...AMOUNT_SCHEMA, description: 'US dollars an hour' },
        }),
        when: {
          ...objectSchema({
            deadline: { const: true },
            noDeadline: { const: true },
            age: { ...DURATION_SCHEMA, description: 'time since its creation' },
            running: { ...DURATION_SCHEMA, description: 'time since its start' },
            idle: {
              anyOf: [
                DURATION_SCHEMA,
                objectSchema({ for: DURATION_SCHEMA, gpu: AMOUNT_SCHEMA, cpu: AMOUNT_SCHEMA, memory: AMOUNT_SCHEMA }, [
                  'for',
                ]),
              ],
              description: 'use below these percentages for so long',
            },
            spent: {
              anyOf: [
                AMOUNT_SCHEMA,
                objectSchema({ dollars: AMOUNT_SCHEMA, since: { enum: SPENT_SINCE } }, ['dollars']),
              ],
              description: 'US dollars since its start, or its creation',
            },
            accountPerHour: { ...AMOUNT_SCHEMA, description: 'US dollars an hour of the whole account' },
            accountMonth: { ...AMOUNT_SCHEMA, description: 'US dollars of the whole account in this month, UTC' },
            noJobs: {
              ...DURATION_SCHEMA,
              description: 'endpoints that keep workers (workers.min above 0) and had no job for so long',
            },
            unusedStorage: {
              const: true,
              description: 'stopped pods with a disk, and volumes that are mounted nowhere; only reported',
            },
          }),
          minProperties: 1,
          maxProperties: 1,
        },
        do: { enum: GUARD_ACTIONS, description: 'default report' },
      },
      ['when'],
    ),
  },
  exceptions: {
    type: 'array',
    items: objectSchema(
      {
        match: TEXTS_SCHEMA,
        until: { ...TEXT_SCHEMA, description: 'a date or an RFC 3339 time' },
        reason: TEXT_SCHEMA,
      },
      ['match', 'until'],
    ),
  },
});
