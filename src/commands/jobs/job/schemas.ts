import {
  ANY_OBJECT,
  ANYTHING,
  either,
  serviceObject,
  TEXT,
  type OutputSchema,
} from '../../../cli/model/output-schema.ts';

/** A job as the queue API sends it (specification 4.5): the service may add statuses and members. */
export const JOB: OutputSchema = serviceObject(
  { id: TEXT, status: { type: 'string', description: 'IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, ...' } },
  {
    delayTime: { type: 'number', description: 'milliseconds in the queue' },
    executionTime: { type: 'number', description: 'milliseconds of work' },
    output: ANYTHING,
    error: ANYTHING,
  },
);

/** A chunk that a handler produced; a worker may send any value. */
export const CHUNK: OutputSchema = either(
  { ...serviceObject({ output: ANYTHING }, { metrics: ANY_OBJECT }), description: 'a chunk and its measurements' },
  ANYTHING,
);
