import {
  addressText,
  folderKey,
  isFolderFailure,
  isOnVolume,
  parseVolumeAddress,
  type VolumeAddress,
  volumeOpener,
} from './address.ts';
import { copyToOutput } from './cat.ts';
import { runCopies } from './copy.ts';
import { COPY_OPTIONS, createFilter } from './filter.ts';
import { FILE_OUTCOMES, type FileOutcome, notDone, printOutcomes, Tally } from './outcomes.ts';
import { planCopies, sourcesAndTarget } from './plan.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { usage } from '../../core/failure.ts';

/** `mv` has the same. */
export const PLACES = {
  place: arg.many('the sources, then the target', { metavar: 'PLACE', complete: 'file-or-volume-path' }),
};

export const RECURSIVE = option.on('copy folders with everything in them', { short: '-r' });

const options = { recursive: RECURSIVE, ...COPY_OPTIONS };

export const cp = defineCommand({
  summary: 'copy files to and from network volumes',
  details:
    'A place is VOLUME:PATH, a local path (./a:b for a name with a colon) or - for stdin or stdout. cp -r DIR VOLUME:PATH makes PATH the copy of DIR. Run it again after an interrupt: what arrived is not sent again.',
  args: PLACES,
  options,
  changesMachine: true,
  writes: true,
  needs: ({ place }) => (isOnVolume(place.at(-1)) ? 'write' : 'read'),
  output: () => FILE_OUTCOMES,
  examples: [
    ['berth files cp items.jsonl datasets:inputs/', 'a file to a volume'],
    ['berth files cp -r datasets:inputs inputs', 'a folder of a volume to this machine'],
  ],
  run: async (ctx, values) => {
    const { place, recursive, followLinks, verify } = values;
    if (place.includes('-')) {
      const [from = '', to = ''] = place;
      if (place.length !== 2 || !isOnVolume(from === '-' ? to : from) || recursive || verify)
        throw usage(
          '"-" is copied to or from one file on a volume, without --recursive and --verify',
          'Write files cp - VOLUME:PATH, or files cp VOLUME:PATH -',
        );
      if (from === '-') return await printOutcomes(ctx, copyFromInput(ctx, parseVolumeAddress(to)), 'copied');
      await copyToOutput(ctx, from);
      return { kind: 'nothing' };
    }
    const [sources, target] = sourcesAndTarget(place);
    const tally = new Tally(ctx);
    const steps = planCopies(ctx, sources, target, { recursive, followLinks, filter: await createFilter(values) });
    return await printOutcomes(ctx, runCopies(ctx, steps, { verify, tally }), 'copied', tally);
  },
});

async function* copyFromInput(ctx: CommandContext, place: VolumeAddress): AsyncGenerator<FileOutcome> {
  const volume = await volumeOpener(ctx)(place.volume);
  const to = addressText(place);
  const key = folderKey(place.path);
  if (key === place.path || (await volume.isFolder(key)))
    throw isFolderFailure(to, 'Name the file that standard input becomes.');
  try {
    const written = await volume.writeStream(place.path, (await ctx.durable()).read('-'));
    const failure = (await volume.confirm([written])).get(written.key);
    yield { from: '-', to, bytes: written.bytes, failure };
  } catch (error) {
    yield { from: '-', to, bytes: 0, ...notDone(error, ctx) };
  }
}
