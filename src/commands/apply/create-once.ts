/** Two applies at once make a thing once: each looks for doubles after its creates, and removes only what it made itself. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import { listCommand } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { APPLY_MARK, byAge, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { FileDocument } from '../plan/document.ts';

export interface Created {
  readonly row: Json;
  /** Its answer came, so this run made it. */
  readonly isAnswered: boolean;
  /** The late members could not be set. */
  readonly failure?: Failure;
}

/** Undefined for what is found by its name alone. */
export const markOf = ({ kind, name, set = '' }: FileDocument): string | undefined =>
  kind.name === 'pod' || kind.name === 'endpoint' ? `${set}/${kind.name}/${name}` : undefined;

const rowsNamed = (rows: readonly Json[], name: string): readonly Json[] =>
  byAge(rows.filter((row) => memberAt(row, 'name') === name && memberAt(row, 'status') !== 'TERMINATED'));

/** Pauses before each read of a list that does not have what was made: a replica may lag for a minute. Milliseconds. */
const LOOKS_MS = [0, 2000, 5000, 10_000, 20_000, 30_000] as const;

/** After a lost answer it looks for what was made (8 where nothing appears), and never sends a second create. */
export async function createOnce(
  ctx: CommandContext,
  { kind: { collection }, name }: FileDocument,
  send: () => Promise<ApiAnswer>,
): Promise<Created> {
  try {
    return { row: (await send()).value ?? null, isAnswered: true };
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted || error.exit !== EXIT.unknown) throw error;
    for (const pause of LOOKS_MS) {
      if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
      const rows = await unlessFailed(ctx, async () => (await listRows(ctx, collection)).values);
      const [row] = rowsNamed(rows ?? [], name);
      if (row !== undefined) return { row, isAnswered: false };
    }
    const hint = sentence`Find out before you apply again: ${listCommand(collection)}`;
    throw error.with({ code: 'outcome-unknown', hint });
  }
}

/** The list after the creates of a kind: once it has them, the next apply does not make them again. */
export async function listWith(
  ctx: CommandContext,
  { collection }: FileDocument['kind'],
  created: readonly Json[],
): Promise<readonly Json[]> {
  for (const pause of LOOKS_MS) {
    if (pause > 0) await ctx.clock.sleep(pause, ctx.signal);
    const rows = await unlessFailed(ctx, async () => (await listRows(ctx, collection)).values);
    const ids = new Set(rows?.map(idOf));
    if (rows !== undefined && created.every((row) => ids.has(idOf(row)))) return rows;
  }
  return (await listRows(ctx, collection)).values;
}

/**
 * Of two with one mark the younger is removed by its maker, and the older one is the answer. Refused (5) for other doubles.
 * `rows` is the list after the creates of the kind.
 */
export async function withoutDouble(
  ctx: CommandContext,
  { kind, name, ...document }: FileDocument,
  { row, isAnswered }: Created,
  rows: readonly Json[],
  remove: (row: Json) => Promise<unknown>,
): Promise<Json> {
  const { noun } = kind.collection;
  const mark = markOf({ kind, name, ...document });
  const there = rowsNamed(rows, name);
  const own = there.find((each) => idOf(each) === idOf(row)) ?? row;
  const others = there.filter((each) => each !== own);
  const isAlike = (each: Json): boolean => isAnswered && mark !== undefined && variableOf(each, APPLY_MARK) === mark;
  const [oldest = own] = byAge([own, ...others.filter(isAlike)]);
  if (oldest !== own) {
    await ctx.tell(`Another apply created ${noun} ${idOf(oldest)} first: removing ${noun} ${idOf(row)}.`);
    await remove(row);
    return oldest;
  }
  const doubles = others.filter((each) => !isAlike(each));
  if (doubles.length === 0) return row;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${doubles.length + 1} of kind ${kind.name} are named ${name}: ${[own, ...doubles].map(idOf).join(', ')}`,
    hint: sentence`Another one created it too. Delete one: ${listCommand(kind.collection)}`,
  });
}
