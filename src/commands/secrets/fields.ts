import { option } from '../../cli/model/params.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import type { Secret } from '../../cli/resource/secret.ts';
import { CREATED_AT, NAME_FLAG } from '../../cli/container/container-fields.ts';

/** No answer has the value. */
const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', create: NAME_FLAG },
  value: { path: 'value', writeOnly: true, write: 'accepted' },
  description: { path: 'description', write: option.text('what it is for; "" clears it') },
  createdAt: CREATED_AT,
  valueLastUpdatedAt: { path: 'valueLastUpdatedAt', type: 'time', label: 'changed', column: { header: 'CHANGED' } },
} as const satisfies Fields;

export const SECRET_TABLE = defineTable({
  noun: ['secret', 'secrets'],
  fields: FIELDS,
  table: ['id', 'name', 'description', 'valueLastUpdatedAt', 'createdAt'],
  detail: [{ fields: ['id', 'name', 'description', 'createdAt', 'valueLastUpdatedAt'] }],
});

/** Never on the command line, never printed. */
export const VALUE: Secret = { member: 'value', question: 'Value of the secret', maxBytes: 16_777_215 };
