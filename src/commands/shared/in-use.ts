import type { Json } from '../../core/json.ts';
import type { Collection } from '../../cli/model/collection.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import { idOf } from '../../output/view.ts';

/** How many users of a thing a message names. */
const MAX_NAMED = 10;

/** How things are used by others. */
interface Uses {
  /** What is used: `secret`. */
  readonly noun: string;
  /** The kinds of what may use it. */
  readonly users: readonly Collection[];
  /** What a row uses, by the text that `keyOf` gives of what is used. */
  readonly usedBy: (row: Json) => Iterable<string>;
  /** The id by default. */
  readonly keyOf?: (used: Json) => string;
}

/**
 * What uses each thing, by its id: `secret sec-1 (hf-token) is used by pod pod-train (train-llm)`; nothing for what is not
 * used. Fails as the lists of the users do.
 */
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
