import { formatTimestamp } from '../../core/text/timestamp.ts';
import { usage } from '../../core/failure.ts';
import { parseDurationWithUnit } from '../../core/units.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { orNull, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { readRow } from '../../cli/resource/identity/identify.ts';
import { berth, sentence } from '../../core/message.ts';
import { text } from '../../output/cells/cell-functions.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { View } from '../../output/view.ts';
import { PODS } from '../shared/collections.ts';
import { changeMemory } from './sweep/memory.ts';

const snoozeView: View = { noun: ['snooze', 'snoozes'], id: text('id'), columns: [] };

/** `berth guard snooze POD 1h`: keeps the guards of this machine from a pod. */
export const snooze = defineCommand({
  summary: 'keep the guards of this machine from a pod for a time',
  details:
    'Its deadline and all rules wait until then; 0 ends it. Guards on other machines do not know of it: berth pods update POD --locked on is for all of them.',
  args: {
    id: arg.text('the pod, by id or name', { metavar: 'POD', complete: PODS }),
    time: arg.text('for how long, such as 1h', { metavar: 'TIME' }),
  },
  changesMachine: true,
  output: ownObject({ id: TEXT, until: { ...orNull(TIME), description: 'null: guards look after it again' } }),
  examples: [['berth guard snooze train-llm 2h', 'it is left alone for two hours']],
  run: async (ctx, { id: word, time }) => {
    const forMs = parseDurationWithUnit(time, 'TIME');
    const { id } = await readRow(ctx, PODS, word);
    const until = ctx.serviceNow() + forMs;
    if (until > 8.64e15) throw usage(`TIME is too long: ${time}`);
    await changeMemory(ctx, ({ snoozes }) => {
      const others = [...snoozes].filter(([each, end]) => each !== id && end > ctx.serviceNow());
      return { snoozes: new Map(forMs === 0 ? others : [...others, [id, until]]) };
    });
    const note =
      forMs === 0
        ? sentence`Guards of this machine look after pod ${id} again.`
        : sentence`Guards of this machine leave pod ${id} alone until ${formatTimestamp(until)}. Guards elsewhere do not: ${berth`pods update ${id} --locked on`}`;
    if (isTableOutput(ctx.output)) return { kind: 'nothing', notes: [note] };
    return { kind: 'one', view: snoozeView, value: { id, until: forMs === 0 ? null : formatTimestamp(until) } };
  },
});
