import { createHash } from 'node:crypto';

/** Long texts have files of their own: docs/decisions/0008. A record must never be changed in place. */
export interface LongTexts {
  encode(record: object): string;
  /** Its long texts are read at each access. */
  decode<R extends object>(saved: R): R;
  /** Call it when this record is saved, or removed (undefined). True when it has long texts. */
  keep(key: string, record: object | undefined): boolean;
  /** So that its long texts are not held in memory. */
  dropped<R extends object>(record: R): R;
  /** By name; must be written before the records that are kept now are saved. */
  readonly added: ReadonlyMap<string, string>;
  /** Names of the texts to remove after that save. */
  removed(): readonly string[];
  /** Call it when the records are saved: forgets `added` and `removed`. */
  settle(): void;
  has(name: string): boolean;
}

interface EncodedRecord {
  readonly text: string;
  readonly names: readonly string[];
  /** Empty when the texts are read from their files. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Characters. */
const LONG_TEXT_LENGTH = 16_384;
const NO_TEXTS: ReadonlyMap<string, string> = new Map();

interface TextReference {
  readonly text: string;
}

/** `read` returns a long text by its name, and may throw. */
export function createLongTexts(read: (name: string) => string): LongTexts {
  /** Only of records with long texts: the others are encoded again. */
  const encoded = new WeakMap<object, EncodedRecord>();
  const namesOf = new Map<string, readonly string[]>();
  const counts = new Map<string, number>();
  const added = new Map<string, string>();
  const candidates = new Set<string>();

  const encodeRecord = (record: object): EncodedRecord => {
    const known = encoded.get(record);
    if (known !== undefined) return known;
    const made = encodedRecord(record, (part) => encoded.get(part));
    if (made.names.length > 0) encoded.set(record, made);
    return made;
  };

  const decode = <R extends object>(saved: R): R => {
    const names = namesIn(saved);
    if (names.length === 0) return saved;
    const record = withReaders(saved, read);
    encoded.set(record, { text: JSON.stringify(saved), names, texts: NO_TEXTS });
    return record as R;
  };

  const count = (name: string, difference: number): void => {
    const next = (counts.get(name) ?? 0) + difference;
    if (next > 0) counts.set(name, next);
    else {
      counts.delete(name);
      candidates.add(name);
    }
  };

  return {
    encode: (record) => encodeRecord(record).text,
    decode,
    keep: (key, record) => {
      const before = namesOf.get(key);
      const after = record === undefined ? undefined : encoded.get(record);
      if (after === undefined && before === undefined) return false;
      for (const [name, text] of after?.texts ?? []) if (!counts.has(name)) added.set(name, text);
      for (const name of after?.names ?? []) count(name, 1);
      for (const name of before ?? []) count(name, -1);
      if (after === undefined) namesOf.delete(key);
      else namesOf.set(key, after.names);
      return after !== undefined;
    },
    dropped: <R extends object>(record: R): R => {
      const known = encoded.get(record);
      return known === undefined || known.texts.size === 0 ? record : decode(JSON.parse(known.text) as R);
    },
    added,
    removed: () => [...candidates].filter((name) => !counts.has(name)),
    settle: () => {
      added.clear();
      candidates.clear();
    },
    has: (name) => counts.has(name),
  };
}

/** All members of such records are the service's own, so no value of a caller can be mistaken for a reference. */
function encodedRecord(record: object, known: (part: object) => EncodedRecord | undefined): EncodedRecord {
  const plain = JSON.stringify(record);
  if (plain.length <= LONG_TEXT_LENGTH) return { text: plain, names: [], texts: NO_TEXTS };
  const texts = new Map<string, string>();
  const names = new Set<string>();
  const text = JSON.stringify(record, (_, value: unknown) => {
    const part = isNested(value) ? known(value) : undefined;
    if (part !== undefined) {
      for (const name of part.names) names.add(name);
      for (const [name, long] of part.texts) texts.set(name, long);
      return JSON.parse(part.text) as unknown;
    }
    // A lone surrogate would be lost in a UTF-8 file.
    if (typeof value !== 'string' || value.length <= LONG_TEXT_LENGTH || LONE_SURROGATE.test(value)) return value;
    // The output of an echo is its input: one text, hashed once.
    const name = [...texts].find(([, long]) => long === value)?.[0] ?? sha256(value);
    texts.set(name, value);
    names.add(name);
    return { text: name } satisfies TextReference;
  });
  return { text, names: [...names], texts };
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const isReference = (value: unknown): value is TextReference =>
  typeof value === 'object' && value !== null && 'text' in value;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

function namesIn(value: object, names: string[] = []): readonly string[] {
  if (isReference(value)) names.push(value.text);
  else for (const member of Object.values(value) as unknown[]) if (isNested(member)) namesIn(member, names);
  return names;
}

/** Getters read each text on access: few are accessed, and together they may be too large. */
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
