import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import type { Target } from '../../cli/resource/choose.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { type Sent, shownOf } from '../../cli/resource/several.ts';
import { pauseOf } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { hasReached } from './refusals.ts';
import { PODS } from './resource.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { berth, sentence } from '../../core/message.ts';
import { formatDuration } from '../../core/units.ts';
import { consequenceOf } from '../../create/refusals.ts';
import { LEAST_MS } from '../../create/wait.ts';

export const UNTIL_FREE = {
  untilAvailable: option.durationWithUnit('wait so long while its machine has too few free GPUs'),
};

/** Retries at least 15 s apart; after a lost answer reads first. At the timeout: wait-ended (9). */
export async function sendUntilFree(
  ctx: CommandContext,
  targets: readonly Target[],
  send: (targets: readonly Target[]) => Promise<readonly Sent<'pod'>[]>,
  waitMs: number,
): Promise<readonly Sent<'pod'>[]> {
  const began = ctx.clock.monotonic();
  const sent = [...(await send(targets))];
  const progress = ctx.progress('free GPUs');
  try {
    for (;;) {
      for (const [at, each] of sent.entries())
        if (each.failure?.exit === EXIT.unknown) sent[at] = await lookedAt(ctx, each);
      const open = [...sent.entries()].filter(([, { failure }]) => failure !== undefined && isOpen(failure));
      if (open.length === 0) return sent;
      const passedMs = ctx.clock.monotonic() - began;
      if (passedMs >= waitMs) {
        for (const [at, { failure, ...each }] of open)
          if (failure !== undefined)
            sent[at] = { id: each.id, name: each.name, failure: timeOver(failure, each.id, waitMs) };
        return sent;
      }
      progress.update(
        `free GPUs for ${countOf(open.length, 'pod')}; ${formatDuration(passedMs)} of ${formatDuration(waitMs)}`,
      );
      const asked = Math.max(0, ...open.map(([, { failure }]) => (failure?.retryAfter ?? 0) * 1000));
      const pauseMs = Math.max(asked, await pauseOf(ctx, LEAST_MS * (1 + ctx.random()), open.length));
      await ctx.clock.sleep(Math.min(waitMs - passedMs, pauseMs), ctx.signal).catch((error: unknown) => {
        // What was started before an interrupt is printed: the next starts are then not sent.
        if (!ctx.signal.aborted) throw error;
      });
      const again = await send(open.flatMap(([at]) => targets[at] ?? []));
      for (const [place, [at, before]] of open.entries()) sent[at] = again[place] ?? before;
    }
  } finally {
    await progress.stop();
  }
}

/** A retry may succeed. */
const isOpen = (failure: Failure): boolean => ['next', 'later'].includes(consequenceOf(failure));

/** After a lost answer the pod's status decides. */
async function lookedAt(ctx: CommandContext, each: Sent<'pod'>): Promise<Sent<'pod'>> {
  const known = asId<'pod'>(each.id);
  try {
    const answer = await ctx.api.send(rowRequest(PODS, known));
    if (!hasReached('start', 'RUNNING', answer.value ?? null)) return each;
    return { ...shownOf(answer, each.name), id: each.id, known, answer };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return each;
  }
}

const timeOver = (failure: Failure, id: string, waitMs: number): Failure =>
  failure.with({
    code: 'wait-ended',
    exit: failure.exit === EXIT.unknown ? EXIT.unknown : EXIT.waitEnded,
    message: `waited ${formatDuration(waitMs)} to start pod ${id}: ${failure.message}`,
    hint: sentence`Go on: ${berth`pods start ${id} --until-available 6h`}`,
    id,
  });
