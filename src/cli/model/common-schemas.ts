import type { Command } from './command.ts';
import {
  ANYTHING,
  either,
  manyOf,
  mapOf,
  ownObject,
  TEXT,
  NUMBER,
  WHOLE,
  YES_NO,
  type OutputSchema,
} from './output-schema.ts';

export const FAILURE = ownObject(
  {
    code: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'a short stable identifier for scripts' },
    message: TEXT,
  },
  {
    hint: { type: 'string', description: 'what to do next, one line for each suggestion' },
    status: { type: 'integer', description: 'the HTTP status of the answer' },
    title: TEXT,
    detail: TEXT,
    errors: manyOf(TEXT),
    retryAfter: { type: 'number', description: 'seconds' },
    request: ownObject({ method: TEXT, url: TEXT }, { id: TEXT }),
    id: { type: 'string', description: 'the id of what the command was about' },
  },
);

export const ERROR = ownObject({ error: FAILURE });

export const OUTCOME = ownObject(
  { id: TEXT, ok: YES_NO },
  {
    name: TEXT,
    status: { type: 'string', description: 'its status after the request' },
    unchanged: { type: 'boolean', description: 'true when it was as asked before: nothing was done to it' },
    error: FAILURE,
  },
);

export const OUTCOMES = manyOf(OUTCOME);

const PREVIEW = ownObject({ method: TEXT, url: TEXT, headers: mapOf(TEXT) }, { body: ANYTHING });

export const RANGE_USD = ownObject({ low: NUMBER, high: NUMBER }, { sinceResume: YES_NO });

export const COUNT: OutputSchema = { ...WHOLE, minimum: 0 };

/** `apply` alone names the schema of the files that it reads. */
export const schemaNameOf = (path: readonly string[]): string =>
  path.join(' ') === 'apply' ? 'apply-results' : path.join(' ');

/** Its output, and the requests of a dry run. Undefined for a command that prints no JSON. */
export function printedSchema({ output, writes }: Command): OutputSchema | undefined {
  if (!writes) return output;
  const previews = [PREVIEW, manyOf(PREVIEW)].map((schema) => ({ ...schema, description: 'with --dry-run' }));
  return output === undefined ? either(...previews) : either(output, ...previews);
}
