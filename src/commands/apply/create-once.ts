import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { berth, names, sentence } from '../../core/message.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rememberCreated } from '../../cli/resource/created.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { pluralOf } from '../../cli/words.ts';
import { APPLY_MARK, byAge, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { findLost } from '../pods/keyed-create.ts';
import type { FileDocument } from '../plan/document.ts';
import { PartlyDone } from './outcome.ts';

export interface Created {
  readonly row: Json;
  /** `looked up`: after a lost answer. `others`: another apply was first. Both may differ from the document. */
  readonly from: 'answer' | 'looked up' | 'others';
}

/** Undefined for what is found by its name alone. */
export const markOf = ({ kind, name, set = '' }: FileDocument): string | undefined =>
  kind.name === 'pod' || kind.name === 'endpoint' ? `${set}/${kind.name}/${name}` : undefined;

interface Requests {
  readonly send: () => Promise<ApiAnswer>;
  readonly remove: (row: Json) => Promise<unknown>;
}

/** Looks before and after: the younger of two with one mark is removed by its maker; refused (5) for other doubles. */
export async function createOnce(
  ctx: CommandContext,
  document: FileDocument,
  { send, remove }: Requests,
): Promise<Created> {
  const { kind, name } = document;
  const { noun } = kind.collection;
  const mark = markOf(document);
  const look = async (): Promise<readonly Json[]> =>
    byAge(
      (await listRows(ctx, kind.collection)).values.filter(
        (row) => memberAt(row, 'name') === name && memberAt(row, 'status') !== 'TERMINATED',
      ),
    );
  const [before] = await look();
  if (before !== undefined) return { row: before, from: 'others' };
  let row: Json;
  let from: Created['from'] = 'answer';
  try {
    row = (await send()).value ?? null;
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted || error.exit !== EXIT.unknown) throw error;
    const hint = sentence`Before trying again, find out: ${berth`${names(pluralOf(noun))} list`}`;
    row = await findLost(ctx, error, hint, async () => (await look())[0]);
    from = 'looked up';
  }
  try {
    await rememberCreated(ctx, noun, row);
    const there = await look();
    const own = there.find((each) => idOf(each) === idOf(row)) ?? row;
    const others = there.filter((each) => each !== own);
    const isAlike = (each: Json): boolean =>
      from === 'answer' && mark !== undefined && variableOf(each, APPLY_MARK) === mark;
    const [oldest = own] = byAge([own, ...others.filter(isAlike)]);
    if (oldest !== own) {
      await ctx.tell(`Another apply created ${noun} ${idOf(oldest)}, which is older: ${noun} ${idOf(row)} is removed.`);
      await remove(row);
      return { row: oldest, from: 'others' };
    }
    const doubles = others.filter((each) => !isAlike(each));
    if (doubles.length === 0) return { row, from };
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `${doubles.length + 1} of kind ${kind.name} are named ${name}: ${[own, ...doubles].map(idOf).join(', ')}`,
      hint: sentence`Another one created it too. Delete one: ${berth`${names(pluralOf(noun))} list`}`,
    });
  } catch (error) {
    throw error instanceof Failure ? new PartlyDone(error, { done: { action: 'create', row } }) : error;
  }
}
