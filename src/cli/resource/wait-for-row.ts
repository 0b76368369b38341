import { readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { berth, type CommandLine, type Message, names } from '../../core/message.ts';
import { askUntilThere, type Absence } from '../../core/not-there-yet.ts';
import type { Result } from '../../output/view.ts';
import type { Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { waitFor } from '../run/wait.ts';
import type { Resource } from './read.ts';

export interface WaitSpec {
  readonly until: string;
  readonly done: (row: Json) => boolean;
  /** True if the state cannot be reached any more. */
  readonly bad: (row: Json) => boolean;
  /** Path below the row that is polled: `releases`. Default: the row itself. */
  readonly subresource?: string;
  /** For the spinner; default: its `status`. */
  readonly describe?: (seen: Json) => string;
  readonly notes?: (seen: Json) => readonly Message[];
  /** Default: `NOUN wait ID --for UNTIL`. */
  readonly resumeCommand?: (id: string) => CommandLine;
  /** What still runs and costs money if the wait ends early, and the command that ends it. */
  readonly stillRunning?: (seen: Json, perHour: string | undefined) => Message | undefined;
  /** `$38.24 an hour`, if the row has no cost: read during the wait, as an interrupt ends every request. */
  readonly perHour?: (ctx: CommandContext, seen: Json) => Promise<string | undefined>;
}

/** Returns the row, or the answer of the write if a subresource was polled. */
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

/** Exit code 10 if the state cannot be reached any more. `absence` is for a row just created. */
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
