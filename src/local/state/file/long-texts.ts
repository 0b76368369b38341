import { createHash } from 'node:crypto';

/** A record as JSON text, and the long texts that are not in it. */
export interface EncodedRecord {
  readonly text: string;
  readonly names: readonly string[];
  /** Long texts that may not have been written yet, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Encodes records whose long texts are stored in files of their own: docs/decisions/0008. */
export interface LongTexts {
  /** A record's text. It is made once: the record must never be changed in place. */
  textOf(record: object): EncodedRecord;
  /** The record from its parsed text; its long texts are read each time they are accessed. */
  readonly fromFile: <R extends object>(saved: R) => R;
  /** The record as `fromFile` returns it, so that its long texts are not held in memory. */
  readonly dropped: <R extends object>(record: R) => R;
}

/** Texts with more characters are stored in files of their own. */
const LONG_TEXT_LENGTH = 16_384;

/** What replaces a long text in a record's JSON text: the name of its file. */
interface TextReference {
  readonly text: string;
}

/** `read` returns a long text by its name, and may throw. */
export function createLongTexts(read: (name: string) => string): LongTexts {
  const encoded = new WeakMap<object, EncodedRecord>();

  const textOf = (record: object): EncodedRecord => {
    const written = encoded.get(record) ?? encodeRecord(record);
    encoded.set(record, written);
    return written;
  };

  const fromFile = <R extends object>(saved: R): R => {
    const names = namesIn(saved);
    if (names.length === 0) return saved;
    const record = withReaders(saved, read);
    encoded.set(record, { text: JSON.stringify(saved), names, texts: new Map() });
    return record as R;
  };

  return {
    textOf,
    fromFile,
    dropped: <R extends object>(record: R): R => {
      const { text, texts } = textOf(record);
      return texts.size === 0 ? record : fromFile(JSON.parse(text) as R);
    },
  };
}

/** All members of such records are the service's own, so no value of a caller can be mistaken for a reference. */
function encodeRecord(record: object): EncodedRecord {
  const texts = new Map<string, string>();
  const text = JSON.stringify(record, (_, value: unknown) => {
    // A lone surrogate would be lost in a UTF-8 file.
    if (typeof value !== 'string' || value.length <= LONG_TEXT_LENGTH || LONE_SURROGATE.test(value)) return value;
    // The output of an echo is its input: one text, hashed once.
    const name = [...texts].find(([, known]) => known === value)?.[0] ?? sha256(value);
    texts.set(name, value);
    return { text: name } satisfies TextReference;
  });
  return { text, names: [...texts.keys()], texts };
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const isReference = (value: unknown): value is TextReference =>
  typeof value === 'object' && value !== null && 'text' in value;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

function namesIn(value: unknown): readonly string[] {
  if (isReference(value)) return [value.text];
  return isNested(value) ? Object.values(value).flatMap(namesIn) : [];
}

/** A copy in which each reference is a getter that reads the text: few are accessed, and together they may be too large. */
function withReaders(saved: object, read: (name: string) => string): object {
  const copy = {};
  for (const [name, value] of Object.entries(saved) as [string, unknown][])
    Object.defineProperty(copy, name, { enumerable: true, ...propertyOf(value, read) });
  return copy;
}

function propertyOf(value: unknown, read: (name: string) => string): PropertyDescriptor {
  if (isReference(value)) return { get: () => read(value.text) };
  if (Array.isArray(value) && value.some(isReference))
    return { get: () => value.map((item: unknown) => (isReference(item) ? read(item.text) : item)) };
  return { value: isNested(value) && namesIn(value).length > 0 ? withReaders(value, read) : value };
}
