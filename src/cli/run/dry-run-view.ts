import { arrayOf, encodeJson, isObject, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import type { RowsResult, Section, View } from '../../output/view.ts';

const view: View = {
  noun: ['request', 'requests'],
  id: () => '',
  columns: [
    { header: 'METHOD', show: (row) => stringAt(row, 'method'), cutLast: true },
    { header: 'ADDRESS', show: (row) => stringAt(row, 'url') },
    {
      header: 'BODY',
      show: (row) => changesOf(row).map(({ label, value }) => `${label}: ${value}`),
    },
  ],
  detail: (row) => [
    { lines: [{ label: 'request', value: `${stringAt(row, 'method') ?? ''} ${stringAt(row, 'url') ?? ''}` }] },
    { title: 'body', lines: changesOf(row) },
  ],
};

/** A row has `before`, the row that it changes, in addition to the JSON's members. */
export function shownRequests(rows: readonly Json[]): RowsResult {
  const [only] = rows;
  return rows.length === 1 && only !== undefined
    ? { kind: 'one', view, value: only }
    : { kind: 'many', view, values: rows };
}

/** `size` with `500 -> 600`: members that differ from the row. */
function changesOf(row: Json): readonly (Section['lines'][number] & { readonly value: string })[] {
  const [body, before] = [memberAt(row, 'body') ?? null, memberAt(row, 'before')];
  const leaves = leavesOf(body, []);
  const isName = ({ path }: Leaf): boolean => path.length === 1 && path[0] === 'name';
  return [...leaves.filter(isName), ...leaves.filter((leaf) => !isName(leaf))].map(({ path, value }) => {
    const after = textOf(value);
    const old = path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), before);
    const isSame = old === undefined || textOf(old) === after;
    return { label: path.join('.'), value: isSame ? after : `${textOf(old)} -> ${after}` };
  });
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

const leavesOf = (value: Json, path: readonly string[]): readonly Leaf[] =>
  isObject(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member = null]) => leavesOf(member, [...path, name]))
    : path.length === 0 && value === null
      ? []
      : [{ path: path.length === 0 ? ['body'] : path, value }];

function textOf(value: Json): string {
  const items = arrayOf(value);
  if (items !== undefined && items.length > 0 && !items.some(isObject)) return items.map(textOf).join(', ');
  return value === null ? 'none' : (stringOf(value) ?? encodeJson(value));
}
