import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readSchemas } from '../../../src/commands/schema.ts';
import { contractSchemas } from '../../../src/local/index.ts';
import { FLAGS, NOUNS } from '../../../src/registry.ts';

/** What `berth schema` prints, by command, such as `pods get`, and by `error`. */
export const SCHEMAS = await readSchemas({ contractSchemas }, { nouns: NOUNS, flags: FLAGS });

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
// Notes for readers.
for (const format of ['uri', 'float', 'double']) ajv.addFormat(format, true);

const validators = new Map<string, ValidateFunction>();

/** Compiles the schema of a command, once. Throws for a schema that is not valid. */
function validatorOf(command: string): ValidateFunction {
  const known = validators.get(command) ?? ajv.compile(SCHEMAS.get(command) ?? false);
  validators.set(command, known);
  return known;
}

/** Says what in a document contradicts the schema of a command, or of `error`; undefined where nothing does. */
export function objectionsTo(command: string, document: unknown): string | undefined {
  const check = validatorOf(command);
  if (check(document)) return undefined;
  const lines = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message ?? ''}`);
  return [`${command} --json, against its schema:`, ...new Set(lines)].slice(0, 12).join('\n');
}
