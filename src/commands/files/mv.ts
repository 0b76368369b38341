import { isOnVolume } from './address.ts';
import { RECURSIVE, runCopies } from './copy.ts';
import { EVERYTHING } from './filter.ts';
import { FILE_OUTCOMES, printOutcomes, Tally } from './outcomes.ts';
import { type Copy, planCopies, sourcesAndTarget, type Step } from './plan.ts';
import { removeSeen, shown } from './tree.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { sameCommand } from '../../cli/run/same-command.ts';
import { type Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';

const args = {
  place: arg.many('what to move, and where to, the last one', { metavar: 'PLACE', complete: 'file-or-volume-path' }),
};

const options = { recursive: RECURSIVE };

export const mv = defineCommand({
  summary: 'move files to, from and within network volumes',
  details:
    'The places are those of files cp. Each file is removed from its old place once its copy is confirmed, and only if it did not change meanwhile. Folders stay, empty.',
  args,
  options,
  changesMachine: true,
  writes: true,
  destroys: true,
  needs: ({ place }) => (place.slice(0, -1).some(isOnVolume) ? 'full' : 'write'),
  output: FILE_OUTCOMES,
  examples: [['berth files mv -r datasets:inputs datasets:old', 'a folder, within a volume']],
  run: async (ctx, values) => {
    const [sources, target] = sourcesAndTarget(values.place, 'a move');
    // What was moved is gone, and is not reported missing.
    ctx.setResumeCommand(sameCommand({ args, options }, values, ['files', 'mv']));
    const tally = new Tally(ctx);
    const { recursive } = values;
    const steps = planCopies(ctx, sources, target, { recursive, followLinks: false, filter: EVERYTHING });
    const afterwards = (copy: Copy): Promise<Failure | undefined> => removeSource(ctx, copy);
    const outcomes = runCopies(ctx, refuseInPlace(steps), { verify: false, tally, afterwards });
    return await printOutcomes(ctx, outcomes, 'moved', { tally });
  },
});

/** A file that is moved to where it is would be removed. The same volume may have two words. */
async function* refuseInPlace(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
  for await (const step of steps) {
    const { from, to } = step.kind === 'copy' ? step : {};
    if (from?.kind === 'volume' && to?.kind === 'volume' && from.volume.id === to.volume.id && from.key === to.key)
      throw usage(`cannot move ${shown(from)} into itself`);
    yield step;
  }
}

async function removeSource(ctx: CommandContext, { from }: Copy): Promise<Failure | undefined> {
  try {
    await removeSeen(await ctx.durable(), from);
    return undefined;
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return error;
  }
}
