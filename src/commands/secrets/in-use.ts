import { type Json, objectAt, stringAt, stringOf } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Guard } from '../../cli/resource/delete.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { idOf } from '../../output/view.ts';
import { ENDPOINTS, PODS, TEMPLATES } from '../shared/collections.ts';
import { secretNamedIn } from '../shared/secret-placeholder.ts';

/** How many users of a secret a message names. */
const MAX_NAMED = 10;

/**
 * Refuses to delete a secret whose placeholder is in a variable: the service deletes it all the same (additions 7). Fails as
 * the lists of pods, endpoints and templates do.
 */
export const secretInUse: Guard = {
  force: 'delete secrets that are in use too',
  reasons: usersOf,
  hint: () => 'Take it out of their variables first.',
};

/** What uses each secret: `secret sec-1 (hf-token) is used by pod pod-train (train-llm)`. */
async function usersOf(ctx: CommandContext, secrets: readonly Json[]): Promise<ReadonlyMap<string, string>> {
  if (secrets.length === 0) return new Map();
  const lists = await Promise.all(
    [PODS, ENDPOINTS, TEMPLATES].map(async (kind) => ({
      kind,
      rows: (await listRows(ctx, kind, kind.lookupQuery)).values,
    })),
  );
  const users = lists.flatMap(({ kind, rows }) =>
    rows.map((row) => ({ label: `${kind.noun} ${labelOf(row)}`, secrets: secretsOf(row) })),
  );
  return new Map(
    secrets.flatMap((secret) => {
      const name = stringAt(secret, 'name') ?? '';
      const found = users.filter((user) => user.secrets.has(name)).map(({ label }) => label);
      const more = found.length > MAX_NAMED ? [`${String(found.length - MAX_NAMED)} more`] : [];
      const named = [...found.slice(0, MAX_NAMED), ...more].join(', ');
      return found.length === 0 ? [] : [[idOf(secret), `secret ${labelOf(secret)} is used by ${named}`] as const];
    }),
  );
}

/** The names of the secrets in the variables of a row. */
const secretsOf = (row: Json): ReadonlySet<string> =>
  new Set(Object.values(objectAt(row, 'env') ?? {}).flatMap((value) => secretNamedIn(stringOf(value) ?? '') ?? []));
