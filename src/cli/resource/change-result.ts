/** Results of commands that change this machine, or print text for a shell. */
import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';
import type { CommandContext } from '../model/context.ts';
import { textColumn } from './fields.ts';

/** `notes` are for a person; `facts`, one object, for a program that asks for data. */
export function changeResult(ctx: CommandContext, facts: JsonObject, notes: readonly Message[]): Result {
  if (isTableOutput(ctx.output)) return { kind: 'nothing', notes };
  return { kind: 'one', view: factsView(facts), value: facts };
}

/** Printed as it is for a shell; `facts` where data is asked for. */
export function textResult(
  ctx: CommandContext,
  facts: JsonObject,
  shellText: string,
  notes: readonly Message[] = [],
): Result {
  if (isTableOutput(ctx.output)) return { kind: 'text', text: shellText, notes };
  return { kind: 'one', view: factsView(facts), value: facts, notes };
}

const factsView = (facts: JsonObject): View => {
  const members = Object.keys(facts);
  return {
    noun: ['change', 'changes'],
    id: text(members[0] ?? ''),
    members,
    columns: members.map((member) => textColumn(member)),
  };
};
