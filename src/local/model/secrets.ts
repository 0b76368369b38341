import { DAY_MS, type EpochMs } from '../../core/unit-types.ts';
import { createPart, createRecordTable, type Records, recordsFrom, type State, without } from '../state/state.ts';

/** A secret without its value. */
export interface SecretRecord {
  id: string;
  name: string;
  description: string | null;
  createdAt: EpochMs;
  /** Null until the value is changed. */
  valueChangedAt: EpochMs | null;
}

const SEEDED = 'sec-api-token';

export const secrets = createRecordTable<SecretRecord>('secrets', (since) => [
  {
    id: SEEDED,
    name: 'api-token',
    description: 'for the model registry',
    createdAt: since - 30 * DAY_MS,
    valueChangedAt: null,
  },
]);

/** The values by the ids of their secrets: apart from the records, so that no document of a secret can have one. */
const values = createPart<Records<string>>('secretValues', () => recordsFrom([[SEEDED, 'value-of-a-local-secret']]));

export const setSecretValue = (state: State, { id }: SecretRecord, value: string): void => {
  values.of(state)[id] = value;
};

export function removeSecret(state: State, { id }: SecretRecord): void {
  values.replace(state, without(values.of(state), id));
  secrets.remove(state, id);
}

/** Ignores case: no two names differ in case only. */
export const secretNamed = (state: State, name: string): SecretRecord | undefined =>
  secrets.all(state).find((secret) => secret.name.toLowerCase() === name.toLowerCase());

export interface BootedEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly fromSecrets: readonly string[];
  /** Variables whose placeholder names no secret: they keep its text. */
  readonly unresolved: readonly string[];
}

/** Replaces `{{ PREFIX_SECRET_name }}` only as a complete value written exactly so (additions 7). */
export function bootEnvironment(
  state: State,
  prefix: string,
  env: Readonly<Record<string, string>>,
): BootedEnvironment {
  const [begin, end] = [`{{ ${prefix}_SECRET_`, ' }}'];
  const fromSecrets: string[] = [];
  const unresolved: string[] = [];
  const resolve = (variable: string, text: string): string => {
    if (!text.startsWith(begin) || !text.endsWith(end)) return text;
    const name = text.slice(begin.length, -end.length);
    const secret = secrets.all(state).find((each) => each.name === name);
    (secret === undefined ? unresolved : fromSecrets).push(variable);
    return secret === undefined ? text : (values.of(state)[secret.id] ?? text);
  };
  const variables = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, resolve(name, text)]));
  return { variables, fromSecrets, unresolved };
}
