/** The one wait, for things that reach a goal; the one pause, of what never ends by itself; what is tried again. */
import type { ApiAnswer } from '../core/api.ts';
import type { Context } from '../core/context.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import type { CommandLine } from '../core/message.ts';
import { type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { run } from './hint.ts';
import type { CommandContext } from './model/context.ts';

export interface Goal {
  /** `pod`. */
  readonly noun: string;
  /** `RUNNING`, `reachable`, `COMPLETED`. */
  readonly name: string;
  readonly done: (row: Json) => boolean;
  /** Why the goal can no longer be reached; its exit code ends the command. */
  readonly stuck?: (row: Json) => Failure | undefined;
  /** The state in a word or two: `PROVISIONING`. */
  readonly describe: (row: Json) => string;
  /** The command that goes on with the wait; absent where only the same command does. */
  readonly resume?: (ids: readonly string[]) => CommandLine;
  /** What a pause is multiplied by for the next one; 1.5, unless seconds matter more than requests. */
  readonly growth?: number;
}

/** One thing that is waited for. */
export interface Awaited {
  readonly id: string;
  readonly read: () => Promise<ApiAnswer>;
  /** The command has sent nothing before: a service that cannot be reached at once is its failure (7). */
  readonly isFirst?: boolean;
}

/** How the wait for one thing ended: with its last answer, and with a failure unless the goal was reached. */
export interface End {
  readonly id: string;
  readonly answer?: ApiAnswer;
  readonly failure?: Failure;
}

const FIRST_MS: Milliseconds = 250;
const LONGEST_MS: Milliseconds = 5000;
/** Things that are read at once. */
const AT_ONCE = 8;
const MAX_NAMED = 3;

/**
 * Reads things until each has reached the goal or cannot, or the time is over (9), also while the service is unreachable. A
 * failure belongs to its thing, and the others go on. An interrupt fails with 130 and the command that goes on.
 */
export async function until(
  ctx: CommandContext,
  things: readonly Awaited[],
  goal: Goal,
  timeoutMs: Milliseconds,
): Promise<readonly End[]> {
  const ends = new Map<string, End>();
  const answers = new Map<string, ApiAnswer>();
  const outages = new Map<string, { readonly error: Failure; readonly since: Milliseconds }>();
  const startedAt = ctx.clock.monotonic();
  const open = (): readonly Awaited[] => things.filter(({ id }) => !ends.has(id));
  const stateOf = ({ id }: Awaited): string => {
    const [answer, outage] = [answers.get(id), outages.get(id)];
    if (outage !== undefined)
      return `no answer for ${formatDuration(ctx.clock.monotonic() - outage.since)} (${outage.error.message})`;
    return answer === undefined ? 'not seen' : goal.describe(answer.value ?? null);
  };
  const look = async ({ id, read, isFirst = false }: Awaited): Promise<void> => {
    try {
      const answer = await read();
      const row = answer.value ?? null;
      answers.set(id, answer);
      outages.delete(id);
      const isDone = goal.done(row);
      const failure = isDone ? undefined : goal.stuck?.(row);
      if (isDone || failure !== undefined) ends.set(id, { id, answer, ...(failure && { failure }) });
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      const mayPass = error.exit === EXIT.unavailable || error.exit === EXIT.rateLimited;
      if (mayPass && (answers.has(id) || !isFirst))
        outages.set(id, { error, since: outages.get(id)?.since ?? ctx.clock.monotonic() });
      else ends.set(id, { id, failure: error });
    }
  };
  ctx.setResumeCommand(goal.resume?.(things.map(({ id }) => id)));
  const progress = ctx.progress(`waiting for ${goal.name}`);
  try {
    for (let pauseMs = FIRST_MS; ; pauseMs = Math.min(pauseMs * (goal.growth ?? 1.5), LONGEST_MS)) {
      const waiting = open();
      for (let at = 0; at < waiting.length; at += AT_ONCE) await Promise.all(waiting.slice(at, at + AT_ONCE).map(look));
      const passedMs = ctx.clock.monotonic() - startedAt;
      if (open().length === 0 || passedMs >= timeoutMs) break;
      const states = open().map((thing) => `${thing.id} ${stateOf(thing)}`);
      const more = states.length > MAX_NAMED ? [`${states.length - MAX_NAMED} more`] : [];
      const named = [...states.slice(0, MAX_NAMED), ...more].join(', ');
      progress.update(`waiting for ${goal.name}: ${named}, ${formatDuration(passedMs)}`);
      await ctx.clock.sleep(Math.min(pauseMs, timeoutMs - passedMs), ctx.signal);
    }
  } finally {
    await progress.stop();
  }
  ctx.setResumeCommand(undefined);
  const command = goal.resume?.(open().map(({ id }) => id));
  return things.map((thing) => {
    const { id } = thing;
    const answer = answers.get(id);
    const message = `${goal.noun} ${id} not ${goal.name} after ${formatDuration(timeoutMs)}: ${stateOf(thing)}`;
    const hint = command && run(command);
    const failure = new Failure({ code: 'wait-ended', exit: EXIT.waitEnded, message, hint, id });
    return ends.get(id) ?? { id, ...(answer && { answer }), failure };
  });
}

/** The part of a rate window's rest that one view may use: the user's other commands need some. */
const SHARE = 0.5;
export const MIN_PAUSE_MS: Milliseconds = 100;

/** The pause before the next round of `requests`: longer than wanted where a rate window is nearly used up. */
export async function pauseOf(
  ctx: Pick<Context, 'limits'>,
  wantedMs: Milliseconds,
  requests = 1,
): Promise<Milliseconds> {
  const windows = requests === 0 ? [] : await ctx.limits.read();
  const needed = windows.map(({ remaining = Infinity, resetSeconds = 0 }) => {
    const usable = remaining * SHARE;
    return usable < requests ? resetSeconds * 1000 : (resetSeconds * 1000 * requests) / usable;
  });
  return Math.max(MIN_PAUSE_MS, wantedMs, Math.min(MINUTE_MS, Math.max(0, ...needed)));
}

/** The pause of what goes on by itself: top, --watch, the guard, what follows a log. Redrawing takes no request. */
export async function every(
  ctx: Context,
  wantedMs: Milliseconds,
  { requests = 1, signal = ctx.signal }: { readonly requests?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await ctx.clock.sleep(await pauseOf(ctx, wantedMs, requests), signal);
}

/** Repeats what fails, as long as that may pass. */
export const again = <T>(
  ctx: Context,
  work: () => Promise<T>,
  mayPass: (failure: Failure) => boolean | Promise<boolean>,
): Promise<T> =>
  work().catch(async (error: unknown) => {
    rethrowUnlessFailure(error, ctx);
    if (!(await mayPass(error))) throw error;
    await every(ctx, Math.max(2000, Math.min(error.retryAfter ?? 0, 60) * 1000));
    return await again(ctx, work, mayPass);
  });
