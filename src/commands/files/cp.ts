import {
  addressText,
  isFolderFailure,
  isOnVolume,
  lookOnVolume,
  openVolume,
  parseFileAddress,
  parseVolumeAddress,
  type VolumeAddress,
} from './address.ts';
import { copyToOutput } from './cat.ts';
import { RECURSIVE, runCopies, VERIFY } from './copy.ts';
import { CHOICE_OPTIONS, createFilter, FOLLOW_LINKS } from './filter.ts';
import { FILE_OUTCOMES_AND_WHOLE, type FileOutcome, notDone, printOutcomes, Tally } from './outcomes.ts';
import { planCopies, sourcesAndTarget } from './plan.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg } from '../../cli/model/params.ts';
import { sameCommand } from '../../cli/run/same-command.ts';
import { usage } from '../../core/failure.ts';

const args = {
  place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file-or-volume-path' }),
};

const options = { recursive: RECURSIVE, ...CHOICE_OPTIONS, followLinks: FOLLOW_LINKS, verify: VERIFY };

export const cp = defineCommand({
  summary: 'copy files to and from network volumes',
  details:
    'A place is VOLUME:PATH, a local path (./a:b for a name with a colon) or - for stdin or stdout. cp -r DIR VOLUME:PATH makes PATH the copy of DIR. Run it again after an interrupt: what arrived is not sent again.',
  args,
  options,
  changesMachine: true,
  writes: true,
  needs: ({ place }) => (isOnVolume(place.at(-1)) ? 'write' : 'read'),
  output: FILE_OUTCOMES_AND_WHOLE,
  examples: [
    ['berth files cp items.jsonl datasets:inputs/', 'a file to a volume'],
    ['berth files cp -r datasets:inputs inputs', 'a folder of a volume to this machine'],
  ],
  run: async (ctx, values) => {
    const { place, recursive, followLinks, verify } = values;
    if (place.includes('-')) {
      const [from, to] = streamEnds(place, values);
      if (to === '-') {
        await copyToOutput(ctx, parseVolumeAddress(from));
        return { kind: 'nothing' };
      }
      return await printOutcomes(ctx, copyFromInput(ctx, parseVolumeAddress(to)), 'copied', { hasWhole: true });
    }
    const [sources, target] = sourcesAndTarget(place, 'a copy');
    // What is there is not sent again.
    ctx.setResumeCommand(sameCommand({ args, options }, values, ['files', 'cp']));
    const tally = new Tally(ctx);
    const steps = planCopies(ctx, sources, target, { recursive, followLinks, filter: await createFilter(values) });
    return await printOutcomes(ctx, runCopies(ctx, steps, { verify, tally }), 'copied', { tally, hasWhole: true });
  },
});

/** Usage (2) unless one end is `-` and the other is on a volume. */
function streamEnds(
  place: readonly string[],
  { recursive, verify }: { readonly recursive: boolean; readonly verify: boolean },
): readonly [string, string] {
  const [from = '', to = ''] = place;
  const other = from === '-' ? to : from;
  if (place.length !== 2 || other === '' || parseFileAddress(other).kind !== 'volume')
    throw usage(
      '"-" is copied to or from one file on a volume',
      'Write files cp - VOLUME:PATH, or files cp VOLUME:PATH -',
    );
  if (recursive || verify) throw usage(`${recursive ? '--recursive' : '--verify'} cannot be used with -`);
  return [from, to];
}

async function* copyFromInput(ctx: CommandContext, place: VolumeAddress): AsyncGenerator<FileOutcome> {
  const volume = await openVolume(ctx, place.volume);
  const to = addressText(place);
  if (place.path === '' || place.path.endsWith('/') || (await lookOnVolume(volume, place))?.kind === 'folder')
    throw isFolderFailure(to, 'Name the file that standard input becomes.');
  try {
    const written = await volume.writeStream(place.path, (await ctx.durable()).read('-'));
    const failure = (await volume.confirm([written])).get(written.key);
    yield { from: '-', to, bytes: written.bytes, failure };
  } catch (error) {
    yield { from: '-', to, bytes: 0, ...notDone(error, ctx) };
  }
}
