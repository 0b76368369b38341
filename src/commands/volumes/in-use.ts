import type { ApiRequest } from '../../core/api.ts';
import { itemsAt, type Json, memberAt, stringAt } from '../../core/json.ts';
import { berth, lines, type Message, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Guard } from '../../cli/resource/delete.ts';
import type { Collection } from '../../cli/model/collection.ts';
import { listRowsWithCreated } from '../../cli/resource/created.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { age } from '../../output/cells.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { idOf } from '../../output/view.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** Contract, Pod and Endpoint. */
const USERS: readonly {
  readonly lookup: Collection;
  readonly query?: NonNullable<ApiRequest['query']>;
  readonly volumes: (row: Json) => readonly Json[];
  /** Empty if unknown. */
  readonly since: (row: Json, now: EpochMs) => string;
  readonly verb: string;
  readonly release: (rows: readonly Json[], ids: readonly string[]) => readonly Message[];
}[] = [
  {
    lookup: PODS,
    // Otherwise pods of clusters are left out (contract rules, Pods).
    query: { includeClusterPods: 'true' },
    volumes: (row) => itemsAt(row, 'mounts.network').flatMap((mount) => memberAt(mount, 'volumeId') ?? []),
    since: (row, now) => sinceTime(row, stringAt(row, 'startedAt') === undefined ? 'createdAt' : 'startedAt', now),
    verb: 'mounted',
    release: (rows) => {
      // A pod of a cluster is deleted with its cluster.
      const [own, clustered] = [
        rows.filter((row) => clusterOf(row) === undefined),
        new Set(rows.flatMap((row) => clusterOf(row) ?? [])),
      ];
      return [
        ...(own.length === 0
          ? []
          : [sentence`Terminate what mounts it: ${berth`pods terminate ${own.slice(0, MAX_NAMED).map(idOf)}`}`]),
        ...(clustered.size === 0
          ? []
          : [
              sentence`Delete the clusters that mount it: ${berth`clusters delete ${[...clustered].slice(0, MAX_NAMED)}`}`,
            ]),
      ];
    },
  },
  {
    lookup: ENDPOINTS,
    volumes: (row) => itemsAt(row, 'networkVolumes'),
    since: (row, now) => sinceTime(row, 'createdAt', now),
    verb: 'used',
    release: (rows, ids) =>
      rows.slice(0, MAX_NAMED).map((row) => {
        const kept = itemsAt(row, 'networkVolumes').filter((id) => typeof id !== 'string' || !ids.includes(id));
        return sentence`Take it out of endpoint ${labelOf(row)}: ${berth`endpoints update ${idOf(row)} --set networkVolumes=${JSON.stringify(kept)}`}`;
      }),
  },
];

function sinceTime(row: Json, member: string, now: EpochMs): string {
  const time = stringAt(row, member);
  return time === undefined ? '' : ` since ${time} (${age(member)(row, { now })} ago)`;
}

const MAX_NAMED = 10;

/** The service may delete volumes in use (contract rules). Stopped pods keep mounts. Fails as the lists. */
export const inUseGuard: Guard = {
  force: 'delete volumes that are in use too',
  reasons: usersOf,
  hint: async (ctx, ids) => {
    const lists = await readUsers(ctx);
    return lines(
      ...lists.flatMap(({ rows, volumes, release }) =>
        release(
          rows.filter((row) => volumes(row).some((id) => typeof id === 'string' && ids.includes(id))),
          ids,
        ),
      ),
    );
  },
};

const clusterOf = (pod: Json): string | undefined => stringAt(pod, 'cluster.id');

const readUsers = (ctx: CommandContext) =>
  Promise.all(USERS.map(async (kind) => ({ ...kind, rows: await listRowsWithCreated(ctx, kind.lookup, kind.query) })));

async function usersOf(ctx: CommandContext, volumes: readonly Json[]): Promise<ReadonlyMap<string, string>> {
  if (volumes.length === 0) return new Map();
  const lists = await readUsers(ctx);
  const now = ctx.serviceNow();
  return new Map(
    volumes.flatMap((volume) => {
      const users = lists.flatMap(({ lookup, rows, volumes: of, since, verb }) =>
        rows
          .filter((row) => of(row).includes(idOf(volume)))
          .map((row) => `${verb} by ${lookup.noun} ${labelOf(row)}${since(row, now)}`),
      );
      const more = users.length > MAX_NAMED ? [`${users.length - MAX_NAMED} more`] : [];
      const named = [...users.slice(0, MAX_NAMED), ...more].join(', ');
      return users.length === 0 ? [] : [[idOf(volume), `volume ${labelOf(volume)} is ${named}`] as const];
    }),
  );
}
