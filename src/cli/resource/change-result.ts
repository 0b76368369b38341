import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';
import type { CommandContext } from '../model/context.ts';
import { text } from '../../output/cells/cell-functions.ts';
import { textColumn } from './fields/detail-lines.ts';

/**
 * The result of a command that changed something of this machine, such as a profile: `notes` say it to a person, and `facts`,
 * which are one object, to a program that asks for data.
 */
export function changeResult(ctx: CommandContext, facts: JsonObject, notes: readonly Message[]): Result {
  if (isTableOutput(ctx.output)) return { kind: 'nothing', notes };
  return { kind: 'one', view: factsView(facts), value: facts };
}

/** The result of a command whose text is for a shell: it is printed as it is, and as `facts` where data is asked for. */
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
