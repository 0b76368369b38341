import { isObject } from '../../../core/json.ts';
import { noRecords, recordsOf, type Records } from '../records.ts';
import { checked, isListOf, isOptional, isText } from './saved-forms.ts';

/**
 * Follows one value of the state in memory: tells how it differs from what is in the file, and makes the changes that were
 * read from the file. A change is JSON; each kind of recorder has a form of its own.
 */
export interface Recorder {
  /**
   * The change since the value was last saved, as JSON text; undefined when there is none. From now on the value counts as
   * saved.
   */
  change(value: unknown): string | undefined;
  /** The changes that make the value from nothing, in pieces of limited size, as JSON texts. */
  pages(value: unknown): Iterable<string>;
  /** The value after a parsed change; it counts as saved. `value` is undefined when there was none. Fails with WrongForm. */
  apply(value: unknown, change: unknown): unknown;
  /** The form of the value that notes its own changes. It takes the value's place in the state. */
  watch?(value: unknown): unknown;
  /** Call it when the value was removed. */
  drop?(): void;
}

/** The size of a page: characters. A page with one large value is larger. */
export const PAGE_LENGTH = 262_144;

/** A value that may be changed in place. It is compared as JSON text. A change is the whole value. */
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

/** A value that is replaced, and never changed in place, as `inner` records it. */
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

/** The changes of an object's members, and the members that were removed. */
type ObjectChange = readonly [changed: Readonly<Record<string, unknown>>, gone?: readonly string[]];

const areGone = isOptional(isListOf(isText));
const isObjectChange = (value: unknown): value is ObjectChange =>
  Array.isArray(value) && isObject(value[0]) && areGone(value[1]);

/** An object, each member with the recorder that `recorderOf` makes for it. A member that is undefined is not there. */
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

/** One member of a JSON object, from its name and the JSON text of its value. */
export const member = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`;
