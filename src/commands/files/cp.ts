import { berth, words, Words } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { CHOICE_OPTIONS, choiceWords, FOLLOW_LINKS } from './filter.ts';
import { copyPlaces, sourcesAndTarget } from './copy-places.ts';
import { VERIFY } from './transfer.ts';
import { FILE_OUTCOMES_AND_WHOLE } from './file-outcomes.ts';
import { copyFromInput, copyToOutput, streamEnds } from './streams.ts';
import { isOnVolume, parseFileAddress } from './file-address.ts';
import { createTally, printOutcomes } from './progress.ts';

export const cp = defineCommand({
  summary: 'copy files to and from network volumes',
  details:
    'A place is VOLUME:PATH, or a local path; a local name with a colon is written ./a:b. `-` is standard input, to one file, or standard output, of one. A file is copied into the target where that is a folder or ends with a slash, and else under the name of the target. A folder is copied into the target: a slash at its end means what is in it, without it the folder itself, as with rsync.\nA file is done when it was seen there with its size and its checksum; until then the file before it stays. An interrupted copy goes on with the same command: parts that arrived are not sent again. Between two volumes the data goes through this machine. Links are left out, and named. The patterns of --exclude and --include are those of files sync. A download has the time that the volume says. An upload keeps neither its time nor its permissions: a volume takes none.',
  args: {
    place: arg.many('what to copy, and where to, the last one', { metavar: 'PLACE', complete: 'file-or-volume-path' }),
  },
  options: {
    recursive: option.on('also folders, with all that is in them', { short: '-r' }),
    ...CHOICE_OPTIONS,
    followLinks: FOLLOW_LINKS,
    verify: VERIFY,
  },
  changesMachine: true,
  writes: true,
  needs: ({ place }) => (isOnVolume(place.at(-1)) ? 'write' : 'read'),
  output: FILE_OUTCOMES_AND_WHOLE,
  examples: [
    ['berth files cp items.jsonl datasets:inputs/', 'a file to a volume'],
    ['berth files cp -r datasets:inputs ./', 'a folder of a volume to this machine'],
  ],
  run: async (ctx, { place, ...values }) => {
    const stream = streamEnds(place.map(parseFileAddress), values);
    if (stream?.isRead === false) {
      await copyToOutput(ctx, stream.place);
      return { kind: 'nothing' };
    }
    if (stream !== undefined)
      return await printOutcomes(ctx, copyFromInput(ctx, stream.place), 'copied', { hasWhole: true });
    const [sources, target] = sourcesAndTarget(place, 'a copy');
    // What is there is not sent again.
    const given = [
      ...(values.recursive ? [words`--recursive`] : []),
      ...(values.followLinks ? [words`--follow-links`] : []),
      ...(values.verify ? [words`--verify`] : []),
      ...choiceWords(values),
    ];
    ctx.setResumeCommand(berth`files cp ${new Words(given.flatMap((each) => each.words))} ${place}`);
    const tally = createTally(ctx);
    const outcomes = copyPlaces(ctx, sources, target, { ...values, choice: values, tally });
    return await printOutcomes(ctx, outcomes, 'copied', { tally, hasWhole: true });
  },
});
