import type { ApiRequest } from '../../core/api.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, memberAt, stringOf, type Json } from '../../core/json.ts';
import type { CommandContext } from '../../cli/context.ts';
import type { Collection } from '../../cli/resource/collection.ts';
import { listRows } from '../../cli/resource/read.ts';
import { ENDPOINTS, PODS } from '../shared/collections.ts';

/** What may use a volume, and which ones each of it uses (contract, Pod and Endpoint). */
const USERS: readonly {
  readonly lookup: Collection;
  readonly query?: NonNullable<ApiRequest['query']>;
  readonly volumes: (row: Json) => readonly Json[];
}[] = [
  {
    lookup: PODS,
    // A list leaves the pods of clusters out unless asked (contract rules, Pods).
    query: { includeClusterPods: 'true' },
    volumes: (row) =>
      (arrayOf(memberAt(row, 'mounts.network')) ?? []).flatMap((mount) => memberAt(mount, 'volumeId') ?? []),
  },
  { lookup: ENDPOINTS, volumes: (row) => arrayOf(memberAt(row, 'networkVolumes')) ?? [] },
];

/** As many users of a volume as are named. */
const MOST = 10;

/**
 * Says of each volume which pods and endpoints use it: a sentence each, none where nothing does. Nothing promises that
 * the service refuses to delete a volume in use (contract rules, The rest), so a person has to know. A list that cannot
 * be had is said and stops nobody; an interrupt is still one.
 */
export async function usersOf(ctx: CommandContext, ids: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    USERS.map(async ({ lookup, query, volumes }) => {
      const rows = await rowsOrNone(ctx, lookup, query);
      return { noun: lookup.noun, rows: rows?.map((row) => ({ called: calledOf(lookup, row), uses: volumes(row) })) };
    }),
  );
  const used = ids.flatMap((id) => {
    const users = lists.flatMap(({ rows }) => rows ?? []).filter(({ uses }) => uses.includes(id));
    const more = users.length > MOST ? [`${String(users.length - MOST)} more`] : [];
    const named = [...users.slice(0, MOST).map(({ called }) => called), ...more].join(', ');
    return users.length === 0 ? [] : [`${id} is in use by ${named}.`];
  });
  const unknown = lists.flatMap(({ noun, rows }) => (rows === undefined ? [`${noun}s`] : []));
  return unknown.length === 0 ? used : [...used, `Which ${unknown.join(' and ')} use it could not be looked up.`];
}

async function rowsOrNone(
  ctx: CommandContext,
  lookup: Collection,
  query: ApiRequest['query'],
): Promise<readonly Json[] | undefined> {
  try {
    return (await listRows(ctx, lookup, query)).values;
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof Failure)) throw error;
    return undefined;
  }
}

/** `pod pod-train (train-llm)`. */
const calledOf = ({ noun }: Collection, row: Json): string =>
  `${noun} ${stringOf(memberAt(row, 'id')) ?? '?'} (${stringOf(memberAt(row, 'name')) ?? '-'})`;
