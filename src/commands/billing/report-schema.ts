/** What `billing report --json` prints. Amounts are in US dollars. */

import { COUNT } from '../../cli/model/common-schemas.ts';
import {
  either,
  manyOf,
  NUMBER,
  oneOf,
  orNull,
  type OutputSchema,
  ownObject,
  TEXT,
  TIME,
  YES_NO,
} from '../../cli/model/output-schema.ts';
import { RATE_PARTS } from '../../cli/money/hourly-cost.ts';
import { DAY_PARTS, GROUPINGS, PARTS } from './costs.ts';

const amounts = (parts: readonly string[]): Readonly<Record<string, OutputSchema>> =>
  Object.fromEntries(['total', ...parts].map((part) => [`${part}Usd`, NUMBER]));

const IDLE_COST: OutputSchema = {
  ...NUMBER,
  description:
    'all that it cost in the time of the report, also before it was idle; of a stopped pod what its disk cost',
};

export const COST_REPORT = ownObject({
  from: TIME,
  to: TIME,
  by: oneOf('resource', ...GROUPINGS),
  totalUsd: NUMBER,
  elsewhereUsd: NUMBER,
  rows: manyOf(
    either(
      ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), ...amounts(PARTS) }),
      ownObject({ day: TEXT, ...amounts(DAY_PARTS) }),
    ),
  ),
  idle: manyOf(ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), why: TEXT, costUsd: IDLE_COST })),
  forecast: ownObject({
    month: TEXT,
    spentUsd: NUMBER,
    perDayUsd: NUMBER,
    averageOfDays: COUNT,
    totalUsd: NUMBER,
    atPresentRateUsd: NUMBER,
    atPresentRateIsAtLeast: { ...YES_NO, description: 'what `rate.unknown` names is left out, or counted too low' },
  }),
  rate: ownObject({ ...amounts(RATE_PARTS), unknown: manyOf(TEXT) }),
  budget: orNull(ownObject({ usd: NUMBER, exceeded: YES_NO })),
  unread: manyOf(TEXT),
});
