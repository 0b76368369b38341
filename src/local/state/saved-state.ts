import { isObject } from '../../core/json.ts';
import { localFile } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { type State, STATE_VERSION } from './state.ts';

/** For the state of --local, which is berth's own file. */
export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

/** JSON. The times are left out of the comparison: they only say when the state was last used. */
export interface StateText {
  readonly fields: string;
  readonly parts: string;
}

export const stateText = ({ generation, clockOffsetMs, serial, parts }: State): StateText => ({
  fields: `${generation} ${String(clockOffsetMs)} ${String(serial)}`,
  parts: JSON.stringify(parts),
});

export const documentOf = (state: State, { parts }: StateText): string =>
  `${JSON.stringify({ ...state, parts: undefined }).slice(0, -1)},"parts":${parts}}\n`;

const NUMBERS: readonly (keyof State)[] = ['since', 'clockOffsetMs', 'asOf', 'wallAt', 'processedTo', 'serial'];

/** Parts are read as their owners find them. Fails with local-file (14). */
export function parseState(path: string, text: string): State {
  const value = parsed(text) ?? parsed(text.slice(0, text.indexOf('\n')));
  // Other programs write JSON with a version too, such as source maps.
  if (!isObject(value) || typeof value['version'] !== 'number' || typeof value['since'] !== 'number')
    throw localFile(`this is no state of the local service: ${path}`, START_OVER);
  if (value['version'] !== STATE_VERSION)
    throw localFile(`the local service's state is of another version of berth: ${path}`, START_OVER);
  const { generation, parts } = value;
  if (!isObject(parts) || typeof generation !== 'string' || NUMBERS.some((name) => typeof value[name] !== 'number'))
    throw localFile(`the local service's state is damaged: ${path}`, START_OVER);
  withoutPrototype(parts);
  for (const part of Object.values(parts)) if (isObject(part)) withoutPrototype(part);
  return value as unknown as State;
}

/** `constructor` and `__proto__` are then ordinary keys. */
export const withoutPrototype = (records: object): unknown => Object.setPrototypeOf(records, null);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
