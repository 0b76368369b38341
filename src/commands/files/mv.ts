import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { berth, flags } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { copyPlaces, type Place, shown, sourcesAndTarget } from './copy-places.ts';
import type { Copy } from './copy.ts';
import { FILE_OUTCOMES } from './file-outcomes.ts';
import { createTally, printOutcomes } from './progress.ts';
import { folderKey, isOnVolume } from './file-address.ts';

export const mv = defineCommand({
  summary: 'move files to, from and within network volumes',
  details:
    'The places are those of files cp. Each file is copied first, within a volume by the service itself; it is removed from its old place when it was seen at the new one with its size and its checksum, and only if it was not changed meanwhile. The folders stay, empty.',
  args: {
    place: arg.many('what to move, and where to, the last one', { metavar: 'PLACE', complete: 'file-or-volume-path' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-r' }),
  },
  changesMachine: true,
  writes: true,
  destroys: true,
  needs: ({ place }) => (place.slice(0, -1).some(isOnVolume) ? 'full' : 'write'),
  output: FILE_OUTCOMES,
  examples: [['berth files mv -r datasets:inputs datasets:old/', 'a folder, within a volume']],
  run: async (ctx, { place, recursive }) => {
    const [sources, target] = sourcesAndTarget(place, 'a move');
    checkNotWithin(sources, target);
    const durable = await ctx.durable();
    // What was moved is gone, and is not reported missing.
    ctx.setResumeCommand(berth`files mv ${flags(recursive ? ['--recursive'] : [])} ${place}`);
    const remove = async ({ from }: Copy): Promise<void> => {
      const now =
        from.kind === 'local'
          ? (await durable.describe(from.path))?.version
          : (await from.volume.find(from.key))?.version;
      if (now === undefined) return;
      if (now !== from.file.version)
        throw new Failure({
          code: 'changed',
          exit: EXIT.localFile,
          message: `${shown(from)} was copied, and changed meanwhile: it was not removed`,
          hint: 'Run it again.',
        });
      await (from.kind === 'local' ? durable.remove(from.path) : from.volume.remove(from.key));
    };
    const tally = createTally(ctx);
    const outcomes = copyPlaces(ctx, sources, target, {
      recursive,
      tally,
      refuse: (copy) =>
        isWithin(copy, sources, target) ? usage(`${shown(copy.from)} cannot be moved into itself`) : undefined,
      afterwards: async (copy) => {
        try {
          await remove(copy);
          return undefined;
        } catch (error) {
          rethrowUnlessFailure(error, ctx);
          return error;
        }
      },
    });
    return await printOutcomes(ctx, outcomes, 'moved', { tally });
  },
});

/** The same volume may have two words. */
const isWithin = ({ from, to }: Copy, sources: readonly Place[], target: Place): boolean =>
  from.kind === 'volume' &&
  to.kind === 'volume' &&
  from.volume.id === to.volume.id &&
  (from.key === to.key ||
    sources.some(
      (each) =>
        each.kind === 'volume' &&
        each.volume === from.name &&
        from.key.startsWith(folderKey(each.path)) &&
        folderKey(target.path).startsWith(folderKey(each.path)),
    ));

/** Usage (2). */
function checkNotWithin(sources: readonly Place[], target: Place): void {
  for (const source of sources)
    if (
      source.kind === 'volume' &&
      target.kind === 'volume' &&
      source.volume === target.volume &&
      folderKey(target.path).startsWith(folderKey(source.path))
    )
      throw usage('nothing can be moved into itself');
}
