import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import { compareFolders } from './compare-folders.ts';
import { isOnVolume } from './file-address.ts';
import { FILE_OUTCOMES_AND_WHOLE, rowOf, viewOf } from './file-outcomes.ts';
import { CHOICE_OPTIONS, choiceWords, FOLLOW_LINKS } from './filter.ts';
import { isContent, meaningOfSlash, openSync, shownPlace, type Sync, type SyncValues } from './open-sync.ts';
import { createTally, type FileInFlight } from './progress.ts';
import { copyNeeded, type Extra, neededCopies, nothingSeen, removeExtras } from './run-sync.ts';
import { refuseWhatDoesNotFit } from './space.ts';
import { VERIFY } from './transfer.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { NO_ITEMS } from '../../core/external-sort.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, type CommandLine, words, Words } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { RowWriter } from '../../output/render.ts';

const nothing = (sync: Sync): Sync['target'] => ({ ...sync.target, list: () => Promise.resolve(NO_ITEMS) });

/** Cheap for a local folder only. */
async function sizeOfSource(sync: Sync, { ignoreFile }: SyncValues): Promise<Bytes> {
  let bytes = 0;
  const options = { filter: sync.filter, ignoreFiles: ignoreFile, platform: sync.platform };
  for await (const each of compareFolders(sync.source, nothing(sync), options))
    if (each.kind === 'file' && each.refused === undefined) bytes += each.source.from.file.bytes;
  return bytes;
}

/** A source without files, which may be not mounted: all would go. Usage (2) without a terminal or for a no. */
async function confirmEmptySource(ctx: CommandContext, sync: Sync, count: number): Promise<void> {
  if (!ctx.terminal.canAsk) throw refusal(sync, count);
  await ctx.tell(sentenceOf(sync, count));
  if (!(await ctx.prompts.confirm('Remove everything?', false)))
    throw new Failure({ code: 'declined', exit: EXIT.usage, message: 'not confirmed: nothing was removed' });
}

/** For a dry run. Returns the failure without a terminal. */
async function tellEmptySource(ctx: CommandContext, sync: Sync, count: number): Promise<Failure | undefined> {
  if (!ctx.terminal.canAsk) return refusal(sync, count);
  await ctx.tell(sentenceOf(sync, count));
  return undefined;
}

const refusal = ({ source }: Sync, count: number): Failure =>
  usage(
    `${source.shown('')} has no files, and everything at the target (${String(count)}) would be removed`,
    'If that is meant, add --allow-empty to --delete. Else look at the source: it may not be mounted.',
  );

const sentenceOf = ({ source }: Sync, count: number): string =>
  `${source.shown('')} has no files. Is it mounted? Everything at the target (${String(count)}) would be removed.`;

interface Prepared {
  readonly sync: Sync;
  /** Undefined if there is no question. */
  readonly extras: readonly Extra[] | undefined;
  readonly isEmpty: boolean;
}

const MAX_NAMED = 20;

export const sync = defineCommand({
  summary: 'make a folder like another one, to or from a network volume',
  details: [
    'A slash at the end of SRC means what is in it, as with rsync: `runs/ VOLUME:x` makes VOLUME:x like runs; `runs VOLUME:x` makes VOLUME:x/runs like it. The end of the command and --dry-run say it with your folders.',
    'A file is the same where it has the same size, and the time says so: a volume keeps no time of a file but when it got it, so a local file is looked at where it was changed after that, and a download gets the time that the volume says. What may differ is compared by its checksum, and only what differs is sent. --checksum compares all files so: it finds a change that kept size and time.',
    '--delete removes files that only the target has, after the copies, when all of them went through and both sides were listed whole. What a filter leaves out is not removed, nor what was changed meanwhile. Folders stay on a volume.',
    'The patterns are those of a .gitignore. What --exclude leaves out, --include takes back in; --include alone takes nothing else.',
    'Between two volumes the data goes through this machine. Links are left out, and named.',
  ].join('\n'),
  args: {
    source: arg.text('the folder to take: VOLUME:PATH or a local path', {
      metavar: 'SRC',
      complete: 'file-or-volume-path',
    }),
    target: arg.text('the folder that becomes like it', { metavar: 'DST', complete: 'file-or-volume-path' }),
  },
  options: {
    checksum: option.on('compare all files by their checksums, not by size and time'),
    delete: option.on('remove files that only the target has'),
    allowEmpty: option.on('with --delete: the source may be empty'),
    ...CHOICE_OPTIONS,
    ignoreFile: option.texts('files with patterns in the folders of SRC, such as .gitignore', { metavar: 'NAME' }),
    followLinks: FOLLOW_LINKS,
    verify: VERIFY,
  },
  writes: true,
  needs: (values) => (!isOnVolume(values.target) ? 'read' : values.delete ? 'full' : 'write'),
  changesMachine: true,
  output: FILE_OUTCOMES_AND_WHOLE,
  examples: [
    ["berth files sync inputs/ datasets:inputs --exclude '*.tmp'", 'what is in a folder, to a volume'],
    ['berth files sync datasets:inputs/ inputs --delete --dry-run', 'see what would be copied and removed'],
  ],
  prepare: async (ctx, values): Promise<Prepared> => {
    const opened = await openSync(ctx, values);
    if (!values.delete || ctx.yes || ctx.dryRun) return { sync: opened, extras: undefined, isEmpty: false };
    const seen = nothingSeen();
    for await (const _ of neededCopies(opened, values, seen));
    return { sync: opened, extras: seen.failures.length === 0 ? seen.extras : [], isEmpty: seen.files === 0 };
  },
  confirmWhen: (values) => values.delete,
  confirm: async (_, { source, target }, { extras = [], sync: { target: side }, isEmpty }) => {
    if (extras.length === 0) return undefined;
    const bytes = extras.reduce((sum, { file }) => sum + file.from.file.bytes, 0);
    return {
      lines: [
        ...(isEmpty ? [`${shownPlace(source)} has no files. Is it mounted?`] : []),
        ...extras.slice(0, MAX_NAMED).map(({ path }) => side.shown(path)),
        ...(extras.length > MAX_NAMED ? [`and ${String(extras.length - MAX_NAMED)} more`] : []),
        `This removes ${countOf(extras.length, 'file')}, ${formatBytes(bytes)}, that only ${shownPlace(target)} has.`,
      ],
    };
  },
  run: async (ctx, values, { sync: opened, extras: confirmed }) => {
    const checkSpace = async (): Promise<void> => {
      const root = opened.target.end('');
      if (opened.volume === undefined || opened.source.kind !== 'local' || root.kind !== 'volume') return;
      await refuseWhatDoesNotFit(opened.volume, {
        bytes: await sizeOfSource(opened, values),
        what: shownPlace(values.source),
        // Which of them stay is known later.
        replaced: () => Promise.resolve((key) => key.startsWith(root.key)),
      });
    };
    ctx.setResumeCommand(sameCommand(values));
    const seen = nothingSeen();
    let refused: Failure | undefined;
    let keeps: boolean;
    const tally = createTally(ctx);
    let writer: RowWriter | undefined;
    // Not before the space check: a refusal prints nothing.
    const rows = (): RowWriter => (writer ??= ctx.rows(viewOf('copied')));
    const progress = ctx.progress('the files');
    try {
      const onBytes = (bytes: Bytes, file: FileInFlight): void => {
        tally.arrived(bytes, file);
        progress.update(tally.progress());
      };
      for await (const outcome of copyNeeded(ctx, opened, values, { seen, checkSpace, onBytes })) {
        tally.add(outcome);
        if (outcome.isSame !== true) await rows().row(rowOf(ctx, outcome));
      }
      for (const outcome of seen.failures) {
        tally.add(outcome);
        await rows().row(rowOf(ctx, outcome));
      }
      const isSeen = new Set(confirmed?.map(({ path }) => path));
      const extras = seen.extras.filter(({ path }) => confirmed === undefined || isSeen.has(path));
      // What did not arrive may have no other copy than what would go.
      keeps = seen.extras.length > 0 && tally.failure() !== undefined;
      if (!keeps && extras.length > 0) {
        const asks = seen.files === 0 && !values.allowEmpty && confirmed === undefined;
        if (asks && ctx.dryRun) refused = await tellEmptySource(ctx, opened, extras.length);
        else if (asks) await confirmEmptySource(ctx, opened, extras.length);
        for await (const outcome of removeExtras(ctx, opened, extras)) {
          tally.add(outcome);
          await rows().row(rowOf(ctx, outcome));
        }
      }
      tally.unchanged(seen.same);
      if (rows().isJson) await rows().row({ whole: tally.whole() });
    } finally {
      await progress.stop();
      await writer?.close();
    }
    return {
      kind: 'nothing',
      notes: [
        // Shows that the files are one folder deeper, if the content was meant.
        ...(ctx.dryRun || (isTableOutput(ctx.output) && !isContent(values.source))
          ? [meaningOfSlash(values, opened)]
          : []),
        ...(seen.executable === 0
          ? []
          : [`${countOf(seen.executable, 'file')} can be executed: a volume does not keep that.`]),
        ...(keeps ? ['Nothing was removed: not every file was copied, or could be looked at.'] : []),
        tally.sentence('copied'),
      ],
      failure: tally.failure() ?? refused,
    };
  },
});

function sameCommand({ source, target, ...values }: SyncValues): CommandLine {
  const given = [
    ...(values.checksum ? [words`--checksum`] : []),
    ...(values.delete ? [words`--delete`] : []),
    ...(values.allowEmpty ? [words`--allow-empty`] : []),
    ...(values.followLinks ? [words`--follow-links`] : []),
    ...(values.verify ? [words`--verify`] : []),
    ...choiceWords(values),
    ...values.ignoreFile.map((each) => words`--ignore-file ${each}`),
  ];
  return berth`files sync ${new Words(given.flatMap((each) => each.words))} ${source} ${target}`;
}
