import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { labelOf } from './targets.ts';
import { listRows } from './requests.ts';
import type { Json } from '../../core/json.ts';
import { idOf } from '../../output/view.ts';

const MAX_NAMED = 10;

interface Uses {
  readonly noun: string;
  readonly users: readonly Collection[];
  /** By the text that `keyOf` returns. */
  readonly usedBy: (row: Json) => Iterable<string>;
  readonly keyOf?: (used: Json) => string;
}

/** By id; unused things are absent. Fails as the lists of the users do. */
export const usersOf =
  ({ noun, users, usedBy, keyOf = idOf }: Uses) =>
  async (ctx: CommandContext, things: readonly Json[]): Promise<ReadonlyMap<string, string>> => {
    if (things.length === 0) return new Map();
    const lists = await Promise.all(users.map(async (kind) => (await listRows(ctx, kind, kind.lookupQuery)).values));
    const labels = lists.flatMap((rows, at) =>
      rows.map((row) => ({ label: `${users[at]?.noun ?? ''} ${labelOf(row)}`, uses: new Set(usedBy(row)) })),
    );
    return new Map(
      things.flatMap((thing) => {
        const found = labels.filter(({ uses }) => uses.has(keyOf(thing))).map(({ label }) => label);
        const more = found.length > MAX_NAMED ? [`${String(found.length - MAX_NAMED)} more`] : [];
        const named = [...found.slice(0, MAX_NAMED), ...more].join(', ');
        return found.length === 0 ? [] : [[idOf(thing), `${noun} ${labelOf(thing)} is used by ${named}`] as const];
      }),
    );
  };
