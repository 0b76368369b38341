import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The folder of the published schemas. */
export const SCHEMA_FOLDER = fileURLToPath(new URL('../../../docs/schemas/', import.meta.url));

const fileOf = (command: string): string => `${SCHEMA_FOLDER}${command.replaceAll(' ', '-')}.json`;

/** Whether a command, such as `pods get`, has a published schema. */
export const hasSchema = (command: string): boolean => existsSync(fileOf(command));

export const readSchema = (command: string): object => JSON.parse(readFileSync(fileOf(command), 'utf8')) as object;

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
// Notes for readers.
for (const format of ['uri', 'float', 'double']) ajv.addFormat(format, true);

const validators = new Map<string, ValidateFunction>();

/** Compiles the schema of a command, once. Throws for a schema that is not valid. */
function validatorOf(command: string): ValidateFunction {
  const file = fileOf(command);
  const known = validators.get(file) ?? ajv.compile(readSchema(command));
  validators.set(file, known);
  return known;
}

/** Says what in a document contradicts the published schema of a command, or of `error`; undefined where nothing does. */
export function objectionsTo(command: string, document: unknown): string | undefined {
  const check = validatorOf(command);
  if (check(document)) return undefined;
  const lines = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message ?? ''}`);
  return [`${command} --json, against its schema:`, ...new Set(lines)].slice(0, 12).join('\n');
}
