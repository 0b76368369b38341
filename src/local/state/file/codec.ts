import { isObject } from '../../../core/json.ts';
import { type Records, type State, STATE_VERSION } from '../state.ts';
import type { LongTexts } from './long-texts.ts';
import { checked } from './saved-forms.ts';
import { member, valueRecorder, type Recorder } from './recorder.ts';

/** For a part that must not be compared as one value, or has long texts. */
export interface PartCodec {
  readonly name: string;
  recorder(texts: LongTexts): Recorder;
}

/** The first line of a state file. */
export interface Header extends Pick<State, 'version' | 'since' | 'generation'> {
  /** Differs in every file. */
  readonly stamp: string;
}

export const isHeader = (value: unknown): value is Header =>
  isObject(value) &&
  value['version'] === STATE_VERSION &&
  typeof value['since'] === 'number' &&
  typeof value['generation'] === 'string' &&
  typeof value['stamp'] === 'string';

type Fields = Pick<State, 'asOf' | 'wallAt' | 'processedTo' | 'clockOffsetMs' | 'serial'>;

/** Every other line of a state file. */
export interface Line {
  readonly fields?: Fields;
  readonly parts?: Readonly<Record<string, unknown>>;
  /** True in the last of the lines that the file was created with. */
  readonly whole?: true;
}

const FIELD_NAMES: readonly (keyof Fields)[] = ['asOf', 'wallAt', 'processedTo', 'clockOffsetMs', 'serial'];

/** The parts are not checked. */
export const isLine = (value: unknown): value is Line =>
  isObject(value) &&
  (value['fields'] === undefined || areFields(value['fields'])) &&
  (value['parts'] === undefined || isObject(value['parts'])) &&
  (value['whole'] === undefined || value['whole'] === true);

const areFields = (value: unknown): value is Fields =>
  isObject(value) && FIELD_NAMES.every((name) => typeof value[name] === 'number');

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A state in memory that knows how it differs from its file. */
export interface RecordedState {
  readonly state: State;
  /** As a line of the file; undefined when nothing changed. It then counts as saved. */
  change(): string | undefined;
  lines(stamp: string): Iterable<string>;
  /** Fails with WrongForm. */
  apply(line: Line): void;
}

export function recordState(initial: State, texts: LongTexts, codecs: readonly PartCodec[]): RecordedState {
  const recorders = new Map<string, Recorder>();
  const { parts } = initial;
  /** The parts that were accessed since the last change: no other part can have changed. */
  const accessed = new Set(Object.keys(parts));
  const state: State = { ...initial, parts: noteAccess(parts, accessed) };
  let savedFields = '';

  const recorderOf = (name: string): Recorder => {
    const known =
      recorders.get(name) ?? codecs.find((codec) => codec.name === name)?.recorder(texts) ?? valueRecorder();
    recorders.set(name, known);
    return known;
  };
  const fieldsOf = ({ asOf, wallAt, processedTo, clockOffsetMs, serial }: State): string =>
    JSON.stringify({ asOf, wallAt, processedTo, clockOffsetMs, serial } satisfies Fields);
  /** What must be saved. The times alone need not: they only say when the state was last used. */
  const importantFields = (): string => `${String(state.clockOffsetMs)} ${String(state.serial)}`;

  return {
    state,
    change: () => {
      const changed: string[] = [];
      for (const name of accessed) {
        const text = parts[name] === undefined ? undefined : recorderOf(name).change(parts[name]);
        if (text !== undefined) changed.push(member(name, text));
      }
      accessed.clear();
      if (changed.length === 0 && importantFields() === savedFields) return undefined;
      savedFields = importantFields();
      return `{"fields":${fieldsOf(state)},"parts":{${changed.join(',')}}}\n`;
    },
    *lines(stamp) {
      const { version, since, generation } = state;
      yield `${JSON.stringify({ version, stamp, since, generation } satisfies Header)}\n`;
      for (const name of Object.keys(parts))
        for (const page of recorderOf(name).pages(parts[name])) yield `{"parts":{${member(name, page)}}}\n`;
      yield `{"fields":${fieldsOf(state)},"whole":true}\n`;
    },
    apply: ({ fields, parts: changes = {} }) => {
      Object.assign(state, fields);
      savedFields = importantFields();
      for (const name of Object.keys(changes))
        parts[name] = checked(recorderOf(name).apply(parts[name], changes[name]), isPart);
    },
  };
}

/** Adds the name of each record that is read or assigned to `names`. */
const noteAccess = (records: Records<unknown>, names: Set<string>): Records<unknown> =>
  new Proxy(records, {
    get: (target, name: string) => {
      names.add(name);
      return target[name];
    },
    set: (target, name: string, value) => {
      names.add(name);
      target[name] = value;
      return true;
    },
  });
