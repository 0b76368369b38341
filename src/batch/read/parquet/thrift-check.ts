/** Limits of a structure in the compact protocol of Thrift, in which Parquet stores its metadata and page headers. */
export interface ThriftLimits {
  /** Levels of structs inside each other. */
  readonly depth: number;
  /** Number of values together. */
  readonly values: number;
}

/** The bytes are not a structure of Thrift, or exceed a limit. */
export class ThriftError extends Error {
  override readonly name = 'ThriftError';
}

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/**
 * Returns the offset after the structure that begins at `start`. Reads no value and allocates nothing, so that a hostile
 * length, number of items or level of nesting is found before a parser reads the same bytes. Fails with ThriftError.
 */
export function endOfStruct(bytes: Uint8Array, start: number, limits: ThriftLimits): number {
  let offset = start;
  let values = 0;

  const byte = (): number => {
    const value = bytes[offset++];
    if (value === undefined) throw new ThriftError('its metadata or a page header breaks off');
    return value;
  };
  const varint = (maxBytes: number): number => {
    let value = 0;
    for (let count = 0; count < maxBytes; count++) {
      const part = byte();
      value += (part & 0x7f) * 2 ** (7 * count);
      if (part < 0x80) return value;
    }
    throw new ThriftError('a number in its metadata is too long');
  };
  const skip = (length: number): void => {
    if (length > bytes.byteLength - offset) throw new ThriftError('its metadata or a page header breaks off');
    offset += length;
  };
  const element = (type: number, depth: number): void => {
    values += 1;
    if (values > limits.values) throw new ThriftError('its metadata has too many values');
    if (type === BYTE) skip(1);
    else if (type >= I16 && type <= I64) varint(type === I64 ? 10 : 5);
    else if (type === DOUBLE) skip(8);
    else if (type === BINARY) skip(varint(5));
    else if (type === LIST) list(depth);
    else if (type === STRUCT) struct(depth + 1);
    else if (type !== TRUE && type !== FALSE) throw new ThriftError('a value in its metadata has an unknown type');
  };
  const list = (depth: number): void => {
    const head = byte();
    const type = head & 0x0f;
    const items = head >> 4 === 15 ? varint(5) : head >> 4;
    // Each item takes a byte or more, those of type boolean too.
    if (items > bytes.byteLength - offset) throw new ThriftError('a list in its metadata is longer than the data');
    for (let index = 0; index < items; index++) element(type === TRUE || type === FALSE ? BYTE : type, depth + 1);
  };
  const struct = (depth: number): void => {
    if (depth > limits.depth) throw new ThriftError('its metadata is nested too deeply');
    for (;;) {
      const head = byte();
      if ((head & 0x0f) === 0) return;
      if (head >> 4 === 0) varint(3);
      element(head & 0x0f, depth);
    }
  };
  struct(1);
  return offset;
}
