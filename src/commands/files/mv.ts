import { isOnVolume } from './address.ts';
import { runCopies } from './copy.ts';
import { PLACES, RECURSIVE } from './cp.ts';
import { EVERYTHING } from './filter.ts';
import { FILE_OUTCOMES, printOutcomes, Tally } from './outcomes.ts';
import { type Copy, planCopies, sourcesAndTarget } from './plan.ts';
import { removeSeen, shown } from './tree.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { type Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';

const options = { recursive: RECURSIVE };

export const mv = defineCommand({
  summary: 'move files to, from and within network volumes',
  details:
    'The places are those of files cp. Each file is removed from its old place once its copy is confirmed, and only if it did not change meanwhile. Folders stay, empty.',
  args: PLACES,
  options,
  changesMachine: true,
  writes: true,
  destroys: true,
  needs: ({ place }) => (place.slice(0, -1).some(isOnVolume) ? 'full' : 'write'),
  output: () => FILE_OUTCOMES,
  examples: [['berth files mv -r datasets:inputs datasets:old', 'a folder, within a volume']],
  run: async (ctx, values) => {
    const [sources, target] = sourcesAndTarget(values.place);
    const tally = new Tally(ctx);
    const { recursive } = values;
    const steps = planCopies(ctx, sources, target, { recursive, followLinks: false, filter: EVERYTHING });
    const files = await ctx.durable();
    const afterwards = async ({ from, to }: Copy): Promise<Failure | undefined> => {
      try {
        // The same volume may have two words.
        if (from.kind === 'volume' && to.kind === 'volume' && from.volume.id === to.volume.id && from.key === to.key)
          throw usage(`cannot move ${shown(from)} into itself`);
        await removeSeen(files, from);
        return undefined;
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        return error;
      }
    };
    return await printOutcomes(ctx, runCopies(ctx, steps, { verify: false, tally, afterwards }), 'moved', tally);
  },
});
