/** Two applies at once make a thing once: each looks for doubles after its creates, and removes only what it made itself. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import { listCommand } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { APPLY_MARK, byAge, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import type { FileDocument } from '../plan/document.ts';
import { findLost, lookFor } from '../pods/keyed-create.ts';

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
    const hint = sentence`Find out before you apply again: ${listCommand(collection)}`;
    const look = async () => rowsNamed((await listRows(ctx, collection)).values, name)[0];
    return { row: await findLost(ctx, error, hint, look), isAnswered: false };
  }
}

/** The list after the creates of a kind: once it has them, the next apply does not make them again. */
export async function listWith(
  ctx: CommandContext,
  { collection }: FileDocument['kind'],
  created: readonly Json[],
): Promise<readonly Json[]> {
  const read = async () => (await listRows(ctx, collection)).values;
  const found = await lookFor(ctx, async () => {
    const rows = await read();
    const ids = new Set(rows.map(idOf));
    return created.every((row) => ids.has(idOf(row))) ? rows : undefined;
  });
  return found ?? (await read());
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
