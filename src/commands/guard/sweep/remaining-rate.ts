import { stringAt, type Json } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { remainingLines } from '../../shared/rate/account-line.ts';
import type { Done } from './act.ts';

/** The ids of the pods that a sweep has ended. */
export interface EndedPods {
  readonly stopped: readonly string[];
  readonly deleted: readonly string[];
}

/** The pods that were ended by the rows of a sweep. */
export function endedIn(rows: readonly Json[]): EndedPods {
  const having = (result: Done['result']): readonly string[] =>
    rows.flatMap((row) => (stringAt(row, 'result') === result ? (stringAt(row, 'id') ?? []) : []));
  return { stopped: having('stopped'), deleted: having('terminated') };
}

export const isAnyEnded = ({ stopped, deleted }: EndedPods): boolean => stopped.length + deleted.length > 0;

/**
 * What the account goes on costing at the end of a guard that ended pods (`isAny`), as after `pods stop` and `pods terminate`.
 * `last` is what the last sweep ended: a pod that an earlier one stopped may have been started since. After an interrupt it is
 * read too, until the next interrupt. Never fails.
 */
export async function remainingAfterSweeps(
  ctx: CommandContext,
  last: EndedPods,
  isAny: boolean,
): Promise<readonly Message[]> {
  if (!ctx.signal.aborted) return await remainingLines(ctx, last, isAny, false);
  const second = new AbortController();
  const stopListening = ctx.onSecondInterrupt(() => {
    second.abort(ctx.signal.reason);
  });
  try {
    const { signal } = second;
    const api = ctx.batchApi({ signal, onWindows: () => undefined });
    return await remainingLines({ ...ctx, api, signal }, last, isAny, false);
  } finally {
    stopListening();
  }
}
