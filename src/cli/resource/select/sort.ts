import { usage } from '../../../core/failure.ts';
import { memberAt, numberOf, stringOf, type Json } from '../../../core/json.ts';
import { option, type Param, type Params } from '../../model/params.ts';
import { nearestOf, suggestionOf } from '../../../core/text/nearest.ts';
import type { FieldType, ResourceTable } from '../fields/fields.ts';

/** One key of `--sort`. */
export interface SortKey {
  readonly path: string;
  readonly type: FieldType;
  readonly descending: boolean;
}

/** The types whose values have an order. */
const ORDERED: readonly FieldType[] = [
  ...(['text', 'status', 'time', 'flag', 'count', 'dollars', 'gigabytes'] as const),
  ...(['seconds', 'milliseconds', 'percent'] as const),
];

/** `--sort`, by the columns of a table and of its wide form. */
export function sortOption(table: ResourceTable | undefined): Params {
  if (table === undefined) return {};
  const keys = sortKeys(table);
  const names = Object.keys(keys);
  const { type: _, ...list } = option.list('sort by these members; a - before one turns the order around', {
    metavar: '[-]MEMBER',
  });
  const sort: Param<readonly SortKey[]> = {
    ...list,
    choices: names,
    initial: [],
    parse: (text, label) =>
      text
        .split(',')
        .filter((part) => part !== '')
        .map((part) => parseKey(part, keys, names, label)),
  };
  return { sort };
}

function parseKey(part: string, keys: Readonly<Record<string, SortKey>>, names: readonly string[], label: string) {
  const isTurned = part.startsWith('-');
  const word = isTurned ? part.slice(1) : part;
  const found = names.find((name) => name.toLowerCase() === word.toLowerCase());
  const key = found === undefined ? undefined : keys[found];
  if (key === undefined)
    throw usage(
      `${label} takes one of ${names.join(', ')}; ${JSON.stringify(word)} is none of them`,
      suggestionOf(nearestOf(word, names)),
    );
  return { ...key, descending: key.descending !== isTurned };
}

/** The possible sort keys by name: the members of the JSON, and `age`, which is the creation time in reverse order. */
function sortKeys(table: ResourceTable): Readonly<Record<string, SortKey>> {
  const entries = [...table.table, ...(table.wide ?? [])].flatMap((key): [string, SortKey][] => {
    const { path, type = 'text' } = table.fields[key] ?? {};
    if (path === undefined || !ORDERED.includes(type)) return [];
    const own: [string, SortKey] = [key, { path, type, descending: false }];
    return key === 'createdAt' ? [own, ['age', { ...own[1], descending: true }]] : [own];
  });
  return Object.fromEntries(entries);
}

/** Sorts rows by several keys, the first one first. Rows without a value come last in both directions. */
export function sortRows(rows: readonly Json[], keys: readonly SortKey[]): readonly Json[] {
  if (keys.length === 0) return rows;
  const collator = new Intl.Collator('en', { numeric: true });
  return rows.toSorted((one, other) => {
    for (const { path, type, descending } of keys) {
      const [left, right] = [valueOf(memberAt(one, path), type), valueOf(memberAt(other, path), type)];
      if (left === undefined || right === undefined) {
        if (left !== right) return left === undefined ? 1 : -1;
        continue;
      }
      const order =
        typeof left === 'number' && typeof right === 'number'
          ? left - right
          : collator.compare(String(left), String(right));
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

/** A value that can be compared with those of other rows; undefined if it has another type than its field. */
function valueOf(value: Json | undefined, type: FieldType): string | number | undefined {
  switch (type) {
    case 'text':
    case 'status':
      return stringOf(value);
    case 'flag':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'time': {
      const time = Date.parse(stringOf(value) ?? '');
      return Number.isNaN(time) ? undefined : time;
    }
    default:
      return numberOf(value);
  }
}
