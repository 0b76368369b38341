import { MINUTE_MS } from '../../core/unit-types.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import { terminateSurely } from './pod.ts';

/** The second process of a run: it waits for the first one, and ends the pod where that one was killed. */
export const endRun = defineCommand({
  summary: 'end the pod of a run whose process was killed',
  hidden: true,
  args: { mark: arg.text('the mark of the run') },
  writes: true,
  examples: [['berth guard end-run run-7f3a1c2e', 'as a run starts it']],
  run: async (ctx, { mark }) => {
    const told = Buffer.from(await ctx.files.read('-'))
      .toString()
      .trim();
    if (told !== '') return { kind: 'nothing' };
    await terminateSurely(ctx, { mark, id: undefined }, 10 * MINUTE_MS);
    (await ctx.spawn.ownKeys()).remove(mark);
    return { kind: 'nothing' };
  },
});
