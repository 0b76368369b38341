import { isObject, numberAt } from '../../core/json.ts';
import { messageOf } from '../../core/failure.ts';
import { berth, type CommandLine, type Message, sentence } from '../../core/message.ts';
import { formatDuration } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { CommandContext } from '../../cli/model/context.ts';

/** By the service's time; undefined where none did. */
export async function readLastRun({ guard }: CommandContext): Promise<EpochMs | undefined> {
  const kept = await guard.read();
  return isObject(kept) ? numberAt(kept, 'sweptAt') : undefined;
}

export async function keepLastRun(ctx: CommandContext, now: EpochMs): Promise<void> {
  try {
    await ctx.guard.write({ sweptAt: now });
  } catch (error) {
    await ctx.tell(`Could not note that a guard ran: ${messageOf(error)}`);
  }
}

/** Without --allow-terminate it only reports a deadline that `terminates`. */
export const guardCommand = (terminates: boolean): CommandLine =>
  terminates ? berth`guard run --every 1m --allow-terminate` : berth`guard run --every 1m`;

/** Where a deadline `terminates`, also the command that does. */
export function lastRunLine(sweptAt: EpochMs | undefined, now: EpochMs, terminates: boolean): Message {
  const command = guardCommand(terminates);
  if (sweptAt === undefined) return sentence`No guard has run on this machine: ${command}`;
  const ran = sentence`A guard of this machine last ran ${formatDuration(Math.max(0, now - sweptAt))} ago.`;
  return terminates ? sentence`${ran} One that terminates: ${command}` : ran;
}
