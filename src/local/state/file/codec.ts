import { recordsFrom, recordsOf } from '../records.ts';
import type { State } from '../state.ts';
import { createLongTexts, type LongTexts } from './long-texts.ts';
import { upgrade, type SavedState } from './versions.ts';

/** A state as the text of its file. */
export interface EncodedState {
  /** Everything but the header of `fileText`: a state with the same body need not be saved again. */
  readonly body: string;
  /** The names of the long texts that the body refers to. */
  readonly named: ReadonlySet<string>;
  /** Those of them that may not have been written yet, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** How a part of the state is saved, when it needs more than `JSON.stringify`. */
export interface PartCodec<T> {
  /** The part's name. */
  readonly name: string;
  /** The part as JSON text. `textOf` encodes a record that is never changed in place and may have long texts. */
  encode(part: T, textOf: (record: object) => string): string;
  /** The part from its parsed text, of any version. `fromFile` decodes what `textOf` encoded. */
  decode(saved: unknown, fromFile: <R extends object>(record: R) => R): T;
  /** Replaces each record that `textOf` encodes by what `replace` returns for it. */
  replaceRecords(part: T, replace: <R extends object>(record: R) => R): void;
}

export interface StateCodec {
  encode(state: State): EncodedState;
  /** The state of a parsed file; long texts are read each time they are accessed. */
  decode(saved: SavedState): State;
  /** Drops the long texts of a saved state from memory: from now on they are read from their files. */
  dropTexts(state: State): void;
}

/** Encodes and decodes states. `read` returns a long text by its name, and may throw. */
export function createStateCodec(
  read: (name: string) => string,
  codecs: readonly PartCodec<unknown>[] = [],
): StateCodec {
  const longTexts: LongTexts = createLongTexts(read);
  const codecOf = (name: string): PartCodec<unknown> | undefined => codecs.find((codec) => codec.name === name);

  const decodePart = (name: string, saved: unknown): unknown => {
    const codec = codecOf(name);
    if (codec !== undefined) return codec.decode(saved, longTexts.fromFile);
    return isPlainObject(saved) ? recordsOf(saved) : saved;
  };

  return {
    encode: ({ since, generation, clockOffsetMs, serial, parts }) => {
      const named = new Set<string>();
      const texts = new Map<string, string>();
      const textOf = (record: object): string => {
        const written = longTexts.textOf(record);
        for (const name of written.names) named.add(name);
        for (const [name, text] of written.texts) texts.set(name, text);
        return written.text;
      };
      const fields = JSON.stringify({ since, generation, clockOffsetMs, serial }).slice(1, -1);
      const encoded = Object.entries(parts).map(([name, part]) =>
        jsonMember(name, codecOf(name)?.encode(part, textOf) ?? JSON.stringify(part)),
      );
      return { body: `${[fields, ...encoded].join(',')}}`, named, texts };
    },
    decode: (saved) => {
      const { parts, ...fields } = upgrade(saved);
      return {
        ...fields,
        parts: recordsFrom(Object.entries(parts).map(([name, part]) => [name, decodePart(name, part)])),
      };
    },
    dropTexts: ({ parts }) => {
      for (const codec of codecs)
        if (parts[codec.name] !== undefined) codec.replaceRecords(parts[codec.name], longTexts.dropped);
    },
  };
}

/** The text of a state file: a header with a stamp that no other file text has, then the body. */
export const fileText = ({ version, asOf, wallAt, processedTo }: State, stamp: string, body: string): string =>
  `${JSON.stringify({ version, stamp, asOf, wallAt, processedTo }).slice(0, -1)},${body}`;

/** One member of a JSON object, from its name and the JSON text of its value. */
export const jsonMember = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`;

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
