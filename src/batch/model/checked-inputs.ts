/** What a journal and a database hold of the inputs of a batch, checked where it enters: anybody can change a file or a row. */
import { isObject, numberAt, stringAt } from '../../core/json.ts';
import type { StoredObject } from '../../core/context.ts';
import type { SharedFormat } from '../read/inputs.ts';
import { COLUMN_TYPES, INPUT_FORMATS, type InputFormat } from '../read/items/item.ts';
import type { ItemRange } from '../read/range.ts';
import { isText } from './event-record.ts';

export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

export const isFormat = (value: unknown): value is InputFormat['format'] =>
  INPUT_FORMATS.some((format) => format === value);

/** How all inputs of a batch are read. */
export const isSharedFormat = (value: unknown): value is SharedFormat =>
  isObject(value) &&
  isFormat(value['format']) &&
  [value['inputField'], value['idField']].every(isTextOrAbsent) &&
  (value['exported'] === undefined || typeof value['exported'] === 'boolean') &&
  (value['types'] === undefined ||
    (isObject(value['types']) &&
      Object.values(value['types']).every((type) => COLUMN_TYPES.some((known) => known === type))));

/** An input as it was when it was planned. */
export const isStoredObject = (value: unknown): value is StoredObject =>
  isObject(value) &&
  stringAt(value, 'address') !== undefined &&
  isWhole(numberAt(value, 'bytes')) &&
  stringAt(value, 'version') !== undefined;

const RANGE_COUNTS = ['start', 'end', 'firstItem', 'items', 'invalid', 'firstLine'];

export const isItemRange = (value: unknown): value is ItemRange =>
  isObject(value) && RANGE_COUNTS.every((name) => isWhole(value[name])) && isText(value['digest']);
