import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Id } from '../../core/ids.ts';
import { stringAt, type Json } from '../../core/json.ts';
import { berth, names, type CommandLine, type Message } from '../../core/message.ts';
import { askUntilThere, type Absence } from '../../core/not-there-yet.ts';
import type { Result } from '../../output/view.ts';
import type { Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { waitFor } from '../run/wait.ts';
import type { Resource } from './read.ts';

/** A state of a row to wait for. */
export interface WaitSpec {
  /** The name of the state: `RUNNING`. */
  readonly until: string;
  readonly done: (row: Json) => boolean;
  /** Whether the state cannot be reached any more. */
  readonly bad: (row: Json) => boolean;
  /** The path of what is polled, below the row: `releases`. The row itself if absent. */
  readonly subresource?: string;
  /** The current state for the spinner; its `status` if absent. */
  readonly describe?: (seen: Json) => string;
  /** Lines that are printed after the wait. */
  readonly notes?: (seen: Json) => readonly Message[];
  /** The command line that resumes the wait; `NOUN wait ID --for UNTIL` if absent. */
  readonly resumeCommand?: (id: string) => CommandLine;
  /** What is still running and paid after the wait, and the command that ends it; said where the wait ends early. */
  readonly stillRunning?: (seen: Json, perHour: string | undefined) => Message | undefined;
  /** `$38.24 an hour`, where the row has no cost: it is read while the wait lasts, because an interrupt ends every request. */
  readonly perHour?: (ctx: CommandContext, seen: Json) => Promise<string | undefined>;
}

/** Waits after a write. Returns the row after the wait, or the answer of the write if a subresource was polled. */
export async function afterWait(
  ctx: CommandContext,
  resource: Resource,
  name: string,
  id: Id,
  wait: WaitSpec,
  values: Values,
  answer: Result,
  absence?: Absence,
): Promise<Result> {
  const end = await waitForRow(ctx, resource, name, id, wait, Number(values['waitTimeout']), absence);
  return wait.subresource === undefined ? end : { ...answer, exit: end.exit };
}

/**
 * Polls a row until it has the wanted state. The exit code is 10 if the state cannot be reached any more. `absence` is that of
 * a row that was just created.
 */
export async function waitForRow(
  ctx: CommandContext,
  resource: Resource,
  name: string,
  id: Id,
  wait: WaitSpec,
  timeoutMs: number,
  absence?: Absence,
) {
  const path = [...resource.path, id, ...(wait.subresource === undefined ? [] : [wait.subresource])];
  let text = '';
  let perHour: string | undefined;
  const ask = askUntilThere(async () => absence);
  const value = await waitFor<Json>(ctx, {
    what: `${resource.noun} ${id} to be ${wait.until}`,
    poll: async () => {
      const answer = await ask(() => ctx.api.send(readRequest(path, { id })));
      if (answer === undefined) return { status: 'not there yet' };
      text = answer.text;
      const seen = answer.value ?? null;
      if (!wait.done(seen)) perHour ??= await wait.perHour?.(ctx, seen);
      return seen;
    },
    done: (row) => wait.done(row) || wait.bad(row),
    describe: wait.describe ?? ((row) => stringAt(row, 'status') ?? '?'),
    timeoutMs,
    stillRunning: (seen) => wait.stillRunning?.(seen, perHour),
    resumeCommand: wait.resumeCommand?.(id) ?? berth`${names(name)} wait ${id} --for ${wait.until}`,
    id,
  });
  return {
    kind: 'one',
    view: resource.view,
    value,
    source: text,
    exit: wait.bad(value) ? EXIT.jobFailed : undefined,
    notes: wait.notes?.(value) ?? [],
  } as const;
}
