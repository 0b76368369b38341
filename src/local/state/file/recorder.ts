import { isObject } from '../../../core/json.ts';
import { noRecords, type Records, recordsOf } from '../state.ts';
import { checked, isListOf, isOptional, isText } from './saved-forms.ts';

/** Finds how a value differs from the file, and applies changes read from it. Changes are JSON. */
export interface Recorder {
  /** JSON text; undefined when there is none. The value then counts as saved. */
  change(value: unknown): string | undefined;
  /** Changes that make the value from nothing, as JSON texts of limited size. */
  pages(value: unknown): Iterable<string>;
  /** It counts as saved; `value` is undefined when there was none. Fails with WrongForm. */
  apply(value: unknown, change: unknown): unknown;
  /** A Proxy that records changes; it takes the value's place in the state. */
  watch?(value: unknown): unknown;
  /** Call it when the value was removed. */
  drop?(): void;
}

/** Characters. A page with one large value is larger. */
export const PAGE_LENGTH = 262_144;

/** May be changed in place: compared as JSON text. A change is the complete value. */
export function valueRecorder(): Recorder {
  let saved: string | undefined;
  return {
    change: (value) => {
      const text = JSON.stringify(value);
      if (text === saved) return undefined;
      saved = text;
      return text;
    },
    pages: (value) => [JSON.stringify(value)],
    apply: (_, change) => {
      saved = JSON.stringify(change);
      return isObject(change) ? recordsOf<unknown>(change) : change;
    },
  };
}

/** For a value that is replaced, never changed in place. */
export function replacedRecorder(inner = valueRecorder()): Recorder {
  let saved: unknown;
  return {
    ...inner,
    change: (value) => {
      if (value === saved) return undefined;
      saved = value;
      return inner.change(value);
    },
    apply: (value, change) => (saved = inner.apply(value === undefined ? undefined : { ...value }, change)),
  };
}

type ObjectChange = readonly [changed: Readonly<Record<string, unknown>>, gone?: readonly string[]];

const areGone = isOptional(isListOf(isText));
const isObjectChange = (value: unknown): value is ObjectChange =>
  Array.isArray(value) && isObject(value[0]) && areGone(value[1]);

/** An undefined member counts as absent. */
export function objectRecorder(recorderOf: (name: string) => Recorder): Recorder {
  const recorders = new Map<string, Recorder>();
  let exists = false;
  const recorder = (name: string): Recorder => {
    const known = recorders.get(name) ?? recorderOf(name);
    recorders.set(name, known);
    return known;
  };
  const remove = (name: string): void => {
    recorders.get(name)?.drop?.();
    recorders.delete(name);
  };

  return {
    change: (value) => {
      const object = value as Records<unknown>;
      const changed: string[] = [];
      let count = 0;
      for (const name in object) {
        if (object[name] === undefined) continue;
        count += 1;
        const known = recorder(name);
        const text = known.change(object[name]);
        if (text !== undefined) changed.push(member(name, text));
        watchMember(object, name, known);
      }
      const gone = recorders.size === count ? [] : [...recorders.keys()].filter((name) => object[name] === undefined);
      for (const name of gone) remove(name);
      if (exists && changed.length === 0 && gone.length === 0) return undefined;
      exists = true;
      return `[{${changed.join(',')}}${gone.length > 0 ? `,${JSON.stringify(gone)}` : ''}]`;
    },
    *pages(value) {
      let members: string[] = [];
      let length = 0;
      for (const [name, each] of Object.entries(value as object) as [string, unknown][]) {
        if (each === undefined) continue;
        let isInPage = false;
        for (const page of recorder(name).pages(each)) {
          // A page has each member once.
          if (isInPage || (members.length > 0 && length + page.length > PAGE_LENGTH)) {
            yield `[{${members.join(',')}}]`;
            members = [];
            length = 0;
          }
          members.push(member(name, page));
          length += page.length;
          isInPage = true;
        }
      }
      yield `[{${members.join(',')}}]`;
    },
    apply: (value, change) => {
      exists = true;
      const object = (value ?? noRecords()) as Records<unknown>;
      const [changed, gone = []] = checked(change, isObjectChange);
      for (const name of Object.keys(changed)) {
        const known = recorder(name);
        object[name] = known.apply(object[name], changed[name]);
        watchMember(object, name, known);
      }
      for (const name of gone) {
        remove(name);
        Reflect.deleteProperty(object, name);
      }
      return object;
    },
    drop: () => {
      for (const name of [...recorders.keys()]) remove(name);
    },
  };
}

function watchMember(object: Record<string, unknown>, name: string, recorder: Recorder): void {
  const watched = recorder.watch?.(object[name]);
  if (watched !== undefined && watched !== object[name]) object[name] = watched;
}

/** `text` is JSON. */
export const member = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`;
