import type { ApiRequest } from '../../core/api.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, memberAt, stringOf, type Json } from '../../core/json.ts';
import type { CommandContext } from '../../cli/context.ts';
import type { Collection } from '../../cli/resource/identity/collection.ts';
import { listRows } from '../../cli/resource/read.ts';
import { ENDPOINTS, PODS } from '../shared/collections.ts';

/** The resources that may use volumes, and how to read the volumes from a row (contract, Pod and Endpoint). */
const USERS: readonly {
  readonly lookup: Collection;
  readonly query?: NonNullable<ApiRequest['query']>;
  readonly volumes: (row: Json) => readonly Json[];
}[] = [
  {
    lookup: PODS,
    // Without it the list has no pods of clusters (contract rules, Pods).
    query: { includeClusterPods: 'true' },
    volumes: (row) =>
      (arrayOf(memberAt(row, 'mounts.network')) ?? []).flatMap((mount) => memberAt(mount, 'volumeId') ?? []),
  },
  { lookup: ENDPOINTS, volumes: (row) => arrayOf(memberAt(row, 'networkVolumes')) ?? [] },
];

/** How many users of a volume a message names. */
const MAX_NAMED = 10;

/**
 * Returns a sentence for each volume in use, naming the pods and endpoints that use it. It is said before a volume is
 * deleted, because the service may delete a volume in use (contract rules, The rest). A list that cannot be read gives a
 * sentence that says so.
 */
export async function usersOf(ctx: CommandContext, ids: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    USERS.map(async ({ lookup, query, volumes }) => {
      const rows = await rowsOrNone(ctx, lookup, query);
      return { noun: lookup.noun, rows: rows?.map((row) => ({ name: nameOf(lookup, row), uses: volumes(row) })) };
    }),
  );
  const used = ids.flatMap((id) => {
    const users = lists.flatMap(({ rows }) => rows ?? []).filter(({ uses }) => uses.includes(id));
    const more = users.length > MAX_NAMED ? [`${String(users.length - MAX_NAMED)} more`] : [];
    const named = [...users.slice(0, MAX_NAMED).map(({ name }) => name), ...more].join(', ');
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
const nameOf = ({ noun }: Collection, row: Json): string =>
  `${noun} ${stringOf(memberAt(row, 'id')) ?? '?'} (${stringOf(memberAt(row, 'name')) ?? '-'})`;
