/** What the commands of the local service print with `--json`. */

import { COUNT } from '../../cli/model/common-schemas.ts';
import { manyOf, mapOf, NUMBER, oneOf, ownObject, TEXT, TIME, WHOLE } from '../../cli/model/output-schema.ts';
import { FAULT_KINDS, FAULT_SETTINGS } from '../../core/fault-kinds.ts';

const CLOCK_MEMBERS = { now: TIME, advancedMs: WHOLE };

export const CLOCK = ownObject(CLOCK_MEMBERS);

export const CLEARED = ownObject({ cleared: TEXT });

export const FAULT = ownObject(
  { id: TEXT, kind: oneOf(...FAULT_KINDS) },
  {
    count: COUNT,
    probability: NUMBER,
    match: TEXT,
    endpoint: TEXT,
    detail: TEXT,
    ...Object.fromEntries(Object.keys(FAULT_SETTINGS).map((member) => [member, WHOLE])),
  },
);

export const LOCAL_STATUS = ownObject({
  ...CLOCK_MEMBERS,
  pods: COUNT,
  clusters: COUNT,
  endpoints: COUNT,
  templates: COUNT,
  networkVolumes: COUNT,
  registries: COUNT,
  delegations: COUNT,
  jobs: mapOf(COUNT),
  faults: manyOf(FAULT),
});

export const USE = ownObject(
  { pod: TEXT },
  { gpu: COUNT, cpu: COUNT, memory: COUNT, until: { ...TIME, description: 'when it varies again' } },
);

export const STOCK = manyOf(ownObject({ hardware: TEXT, dataCenter: TEXT, free: COUNT }));
