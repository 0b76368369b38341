import { allowedAccess, requireAccess } from '../../core/access.ts';
import { usage } from '../../core/failure.ts';
import { berth } from '../../core/message.ts';
import { formatBytes } from '../../core/units.ts';
import type { VolumeFiles } from '../../core/ports/volume-files.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words/words.ts';
import { addressText, parseFileAddress, type FileAddress } from './places/address.ts';
import { planCopies, type Copy, type End } from './copy/plan.ts';
import { transferFiles, type Transferred } from './copy/transfer.ts';
import { VERIFY } from './copy/verify.ts';
import { openVolume } from './places/open-volume.ts';
import { FILE_OUTCOMES, fileOutcomes, type FileOutcome } from './outcomes.ts';

/** `berth files cp`: copies files to and from network volumes. */
export const cp = defineCommand({
  summary: 'copy files to and from network volumes',
  details:
    'A place is VOLUME:PATH, or a local path; a local name with a colon is written ./a:b. A file is copied into the target where that is a folder or ends with a slash, and else under the name of the target. A folder is copied into the target: a slash at its end means what is in it, without it the folder itself, as with rsync.\nA file is done when it was seen there with its size and its checksum; until then the file before it stays. An interrupted copy goes on with the same command: parts that arrived are not sent again. Between two volumes the data goes through this machine. Links are left out. A download has the time that the volume says. An upload keeps neither its time nor its permissions: a volume takes none.',
  args: {
    place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-R' }),
    verify: VERIFY,
  },
  changesMachine: true,
  writes: true,
  output: FILE_OUTCOMES,
  examples: [
    ['berth files cp items.jsonl datasets:inputs/', 'a file to a volume'],
    ['berth files cp -R datasets:inputs ./', 'a folder of a volume to this machine'],
  ],
  run: async (ctx, { place, recursive, verify }) => {
    const [sources, target] = places(place);
    if (target.kind === 'volume' && !ctx.dryRun) requireAccess('write', allowedAccess(ctx.settings));
    const durable = await ctx.durable();
    const opened = new Map<string, Promise<VolumeFiles>>();
    const open = (word: string): Promise<VolumeFiles> => {
      const volume = opened.get(word) ?? openVolume(ctx, word);
      opened.set(word, volume);
      return volume;
    };
    const onLeftOut = (path: string): Promise<void> =>
      ctx.tell(`${path} is left out: it is a link, or no regular file.`);
    const outcomes: FileOutcome[] = [];
    // What is there is not sent again.
    ctx.setResumeCommand(
      berth`files cp ${[...(recursive ? ['--recursive'] : []), ...(verify ? ['--verify'] : [])]} ${place}`,
    );
    const copies = planCopies({ durable, open, platform: ctx.platform }, sources, target, { recursive, onLeftOut });
    const progress = ctx.progress('the files');
    let bytes = 0;
    const onBytes = ({ from }: Copy, count: number): void => {
      bytes += count;
      progress.update(`${shown(from)}: ${formatBytes(bytes)} in ${countOf(outcomes.length + 1, 'file')}`);
    };
    try {
      for await (const { copy, isSame, failure } of ctx.dryRun
        ? planned(copies)
        : transferFiles(ctx, copies, onBytes, verify))
        outcomes.push({ from: shown(copy.from), to: shown(copy.to), bytes: copy.from.file.bytes, isSame, failure });
    } finally {
      await progress.stop();
    }
    return fileOutcomes(ctx, outcomes, 'copied');
  },
});

type Place = Exclude<FileAddress, { kind: 'stream' }>;

/** The sources, and the target, the last word. Fails with usage (2) where none of them is on a volume. */
function places(words: readonly string[]): readonly [readonly Place[], Place] {
  const all = words.map(parseFileAddress);
  const target = all.at(-1);
  if (target === undefined || all.length < 2)
    throw usage('a copy needs a source and a target', 'The last place is the target.');
  const named = all.filter((each): each is Place => each.kind !== 'stream');
  if (named.length < all.length)
    throw usage(
      '- is no place to copy from or to',
      'Name a file; what a file on a volume has is printed by files cat.',
    );
  if (!named.some(({ kind }) => kind === 'volume'))
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a file on a volume.');
  return [named.slice(0, -1), target as Place];
}

/** What a dry run says of copies. */
async function* planned(copies: AsyncIterable<Copy>): AsyncGenerator<Transferred> {
  for await (const copy of copies) yield { copy, isSame: false, failure: copy.refused };
}

const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });
