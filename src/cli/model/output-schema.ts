import type { JsonObject } from '../../core/json.ts';

/** JSON Schema 2020-12. Schemas of the published contract are named, not copied. */
export type OutputSchema = JsonObject;

type Members = Readonly<Record<string, OutputSchema>>;

export const TEXT: OutputSchema = { type: 'string' };
export const WHOLE: OutputSchema = { type: 'integer' };
export const NUMBER: OutputSchema = { type: 'number' };
export const YES_NO: OutputSchema = { type: 'boolean' };
export const TIME: OutputSchema = { type: 'string', format: 'date-time' };
export const ANYTHING: OutputSchema = {};
export const ANY_OBJECT: OutputSchema = { type: 'object' };

export const CONTRACT_PREFIX = 'contract:';

export const contractSchema = (name: string): OutputSchema => ({ $ref: CONTRACT_PREFIX + name });

export const oneOf = (...words: readonly string[]): OutputSchema => ({ type: 'string', enum: words });

export const manyOf = (items: OutputSchema): OutputSchema => ({ type: 'array', items });

export const orNull = ({ type, ...schema }: OutputSchema): OutputSchema =>
  typeof type === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [{ ...schema, ...(type === undefined ? {} : { type }) }, { type: 'null' }] };

export const either = (...schemas: readonly OutputSchema[]): OutputSchema => ({ anyOf: schemas });

/** May have members that no version of the contract names yet. */
export const serviceObject = (required: Members, optional: Members = {}): OutputSchema => ({
  type: 'object',
  ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
  properties: { ...required, ...optional },
});

/** Made by berth itself: has no other members. */
export const ownObject = (required: Members, optional: Members = {}): OutputSchema => ({
  ...serviceObject(required, optional),
  additionalProperties: false,
});

export const mapOf = (value: OutputSchema): OutputSchema => ({ type: 'object', additionalProperties: value });

export const failureSchema = (): OutputSchema =>
  ownObject(
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

export const errorSchema = (): OutputSchema => ownObject({ error: failureSchema() });

export const outcomeSchema = (): OutputSchema =>
  ownObject(
    { id: TEXT, ok: YES_NO },
    {
      name: TEXT,
      status: { type: 'string', description: 'its status after the request' },
      unchanged: { type: 'boolean', description: 'true when it was as asked before: nothing was done to it' },
      error: failureSchema(),
    },
  );

export const outcomesSchema = (): OutputSchema => manyOf(outcomeSchema());

export const rangeSchema = (): OutputSchema => ownObject({ low: NUMBER, high: NUMBER }, { sinceResume: YES_NO });

export const COUNT: OutputSchema = { ...WHOLE, minimum: 0 };

/** `apply` alone names the schema of the files that it reads. */
export const schemaNameOf = (path: readonly string[]): string =>
  path.join(' ') === 'apply' ? 'apply-results' : path.join(' ');

/** Its output, and the requests of a dry run. Undefined for a command that prints no JSON. */
export function printedSchema(command: {
  readonly output?: (() => OutputSchema) | undefined;
  readonly writes?: boolean | undefined;
}): OutputSchema | undefined {
  const { output, writes = false } = command;
  if (!writes) return output?.();
  const preview = ownObject({ method: TEXT, url: TEXT, headers: mapOf(TEXT) }, { body: ANYTHING });
  const previews = [preview, manyOf(preview)].map((schema) => ({ ...schema, description: 'with --dry-run' }));
  return output === undefined ? either(...previews) : either(output(), ...previews);
}
