import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { answerResult } from '../../output/view.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { changed, membersView, sendControl } from './control.ts';
import { USE } from './schemas.ts';

const percent = (summary: string) => option.count(summary, 0, { metavar: '%', most: 100 });

export const pods = defineGroup('what pods use: to see what happens when one is idle', {
  use: defineCommand({
    hidden: true,
    output: USE,
    summary: 'set how much of its GPUs, CPU and memory a pod uses',
    changesMachine: true,
    details: 'What is not given varies with the time, as in a new account; without a flag all of it does again.',
    args: { id: arg.text('the pod, by id or name', { metavar: 'POD', complete: PODS }) },
    options: {
      gpu: percent('use of each of its GPUs'),
      cpu: percent('use of its CPU'),
      memory: percent('use of its memory'),
      for: option.durationWithUnit('for so long; then it varies again (default: for good)'),
    },
    examples: [['berth local pods use pod-train --gpu 0 --cpu 1', 'it idles']],
    run: async (ctx, { id, for: forMs, ...use }) => {
      const answer = await sendControl(ctx, 'POST', ['pods', id, 'use'], { body: { ...use, forMs }, of: ['pod', id] });
      return changed(ctx, answerResult(membersView('use'), answer));
    },
  }),
});
