import { isObject } from '../../../core/json.ts';
import { noRecords, type Records } from '../state.ts';
import type { LongTexts } from './long-texts.ts';
import { PAGE_LENGTH, type Recorder } from './recorder.ts';
import { checked, isListOf, isObjectWith, isOptional, isText, isTrue } from './saved-forms.ts';

interface Identified {
  readonly id: string;
}

/** With `all`, there are no other records. */
interface MapChange {
  readonly all?: true;
  readonly set?: readonly Identified[];
  readonly gone?: readonly string[];
}

const isMapChange = isObjectWith<MapChange>({
  all: isOptional(isTrue),
  set: isOptional(isListOf(isObjectWith<Identified>({ id: isText }))),
  gone: isOptional(isListOf(isText)),
});

/** The object notes changed ids, so that the cost does not depend on how many records there are. */
export function recordMapRecorder(texts: LongTexts): Recorder {
  let records: Records<Identified> = noRecords();
  let watched: Records<Identified> | undefined;
  const touched = new Set<string>();
  /** The ids of the records with long texts. */
  const long = new Set<string>();

  const watch = (value: Records<Identified>): Records<Identified> => {
    if (value === watched) return watched;
    records = value;
    touched.clear();
    watched = new Proxy(records, {
      set: (target, id: string, record) => {
        touched.add(id);
        return Reflect.set(target, id, record);
      },
      deleteProperty: (target, id: string) => {
        touched.add(id);
        return Reflect.deleteProperty(target, id);
      },
    });
    return watched;
  };

  const keep = (id: string, record: Identified | undefined): void => {
    if (texts.keep(id, record)) long.add(id);
    else long.delete(id);
  };

  return {
    change: (value) => {
      const isOther = value !== watched;
      if (!isOther && touched.size === 0) return undefined;
      const current = isOther ? (value as Records<Identified>) : records;
      const set: string[] = [];
      const gone: string[] = [];
      for (const id of isOther ? new Set([...long, ...Object.keys(current)]) : touched) {
        const record = current[id];
        if (record === undefined) gone.push(id);
        else set.push(texts.encode(record));
        keep(id, record);
        if (long.has(id) && record !== undefined) current[id] = texts.dropped(record);
      }
      touched.clear();
      return changeText(set, isOther ? [] : gone, isOther);
    },
    *pages(value) {
      let set: string[] = [];
      let length = 0;
      for (const id in value as Records<Identified>) {
        const record = (value as Records<Identified>)[id];
        if (record === undefined) continue;
        const text = texts.encode(record);
        if (length > 0 && length + text.length > PAGE_LENGTH) {
          yield changeText(set);
          set = [];
          length = 0;
        }
        set.push(text);
        length += text.length;
      }
      yield changeText(set);
    },
    apply: (value, change) => {
      const { all = false, set = [], gone = [] } = checked(change, isMapChange);
      if (all) for (const id of [...long]) keep(id, undefined);
      const target = value === undefined || all ? noRecords<Identified>() : records;
      for (const each of set) {
        const record = texts.decode(each);
        target[record.id] = record;
        keep(record.id, record);
      }
      for (const id of gone) {
        Reflect.deleteProperty(target, id);
        keep(id, undefined);
      }
      return target === records && watched !== undefined ? watched : target;
    },
    watch: (value) => watch(value as Records<Identified>),
    drop: () => {
      for (const id of [...long]) keep(id, undefined);
    },
  };
}

function changeText(set: readonly string[], gone: readonly string[] = [], all = false): string {
  const members = [
    ...(all ? ['"all":true'] : []),
    ...(set.length > 0 ? [`"set":[${set.join(',')}]`] : []),
    ...(gone.length > 0 ? [`"gone":${JSON.stringify(gone)}`] : []),
  ];
  return `{${members.join(',')}}`;
}

/** Never changed in place. No other record has the same key. */
export function textRecordRecorder(texts: LongTexts, key: string): Recorder {
  let saved: unknown;
  return {
    change: (value) => {
      if (value === saved) return undefined;
      saved = value;
      const text = texts.encode(value as object);
      texts.keep(key, value as object);
      return text;
    },
    pages: (value) => [texts.encode(value as object)],
    apply: (_, change) => {
      const record = texts.decode(checked(change, isObject));
      texts.keep(key, record);
      saved = record;
      return record;
    },
    drop: () => {
      texts.keep(key, undefined);
    },
  };
}
