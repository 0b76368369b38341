import type { Failure } from '../../core/failure.ts';
import { arrayOf, encodeJson, isObject, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import type { RowsResult, View } from '../../output/view.ts';

const view: View = {
  noun: ['request', 'requests'],
  id: () => '',
  columns: [
    { header: 'METHOD', show: (row) => stringAt(row, 'method'), cutLast: true },
    { header: 'ADDRESS', show: (row) => stringAt(row, 'url') },
    { header: 'BODY', show: (row) => bodyLines(row).map(({ label, value }) => `${label}: ${value}`) },
  ],
  detail: (row) => [
    { lines: [{ label: 'request', value: `${stringAt(row, 'method') ?? ''} ${stringAt(row, 'url') ?? ''}` }] },
    { title: 'body', lines: bodyLines(row) },
  ],
};

/** One request is an object; several, and one of several, are an array. */
export function requestsResult(rows: readonly Json[], failure: Failure | undefined): RowsResult {
  const [only] = rows;
  return rows.length === 1 && only !== undefined && failure === undefined
    ? { kind: 'one', view, value: only }
    : { kind: 'many', view, values: rows, failure };
}

interface Line {
  readonly label: string;
  readonly value: string;
}

/** A line a member, the name first. */
function bodyLines(row: Json): readonly Line[] {
  const body = memberAt(row, 'body');
  if (body === undefined) return [];
  return linesOf(body, []).toSorted((one, other) => Number(other.label === 'name') - Number(one.label === 'name'));
}

const linesOf = (value: Json, path: readonly string[]): readonly Line[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member = null]) => linesOf(member, [...path, name]))
    : [{ label: path.length === 0 ? 'body' : path.join('.'), value: textOf(value) }];

function textOf(value: Json): string {
  const items = arrayOf(value);
  if (items !== undefined && items.length > 0 && !items.some(isObject)) return items.map(textOf).join(', ');
  return value === null ? 'none' : (stringOf(value) ?? encodeJson(value));
}
