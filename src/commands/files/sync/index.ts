import { berth, words, Words, type CommandLine } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import type { Bytes } from '../../../core/unit-types.ts';
import { formatBytes } from '../../../core/units.ts';
import { defineCommand } from '../../../cli/model/command.ts';
import { arg, option } from '../../../cli/model/params.ts';
import { countOf } from '../../../cli/words/words.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import type { RowWriter } from '../../../output/print/row-writer.ts';
import { FILE_OUTCOMES_AND_WHOLE, rowOf, viewOf } from '../../shared/paths/file-outcomes.ts';
import { createTally, type FileInFlight } from '../copy/tally.ts';
import { CHOICE_OPTIONS, choiceWords, FOLLOW_LINKS } from '../copy/choose-files.ts';
import { VERIFY } from '../copy/transfer/verify.ts';
import { refuseWhatDoesNotFit } from '../places/space.ts';
import { isContent, meaningOfSlash, openSync, shownPlace, type Sync, type SyncValues } from './open-sync.ts';
import { sizeOfSource } from './size-of-source.ts';
import { copyNeeded, neededCopies, nothingSeen, removeExtras, type Extra } from './run-sync.ts';
import { confirmEmptySource, tellEmptySource } from './empty-source.ts';
import { isOnVolume } from '../places/file-address.ts';

/** What is known before the question. */
interface Prepared {
  readonly sync: Sync;
  /** What the question is about; undefined where nobody is asked. */
  readonly extras: readonly Extra[] | undefined;
  readonly isEmpty: boolean;
}

/** How many of the files that would be removed a question names. */
const MAX_NAMED = 20;

/** `berth files sync`: makes a folder like another one. */
export const sync = defineCommand({
  summary: 'make a folder like another one, to or from a network volume',
  details: [
    'A slash at the end of SRC means what is in it, as with rsync: `runs/ VOLUME:x` makes VOLUME:x like runs; `runs VOLUME:x` makes VOLUME:x/runs like it. The end of the command and --dry-run say it with your folders.',
    'A file is the same where it has the same size, and the time says so: a volume keeps no time of a file but when it got it, so a local file is looked at where it was changed after that, and a download gets the time that the volume says. What may differ is compared by its checksum, and only what differs is sent. --checksum compares all files so: it finds a change that kept size and time.',
    '--delete removes files that only the target has, after the copies, when both sides were listed whole. What a filter leaves out is not removed, nor what was changed meanwhile. Folders stay on a volume.',
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
    return { sync: opened, extras: seen.isWhole ? seen.extras : [], isEmpty: seen.files === 0 };
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
        // What of it stays is known later.
        replaced: () => Promise.resolve((key) => key.startsWith(root.key)),
      });
    };
    ctx.setResumeCommand(sameCommand(values));
    const seen = nothingSeen();
    let refused: Failure | undefined;
    const tally = createTally(ctx);
    let writer: RowWriter | undefined;
    // Not before the space was looked at: what is refused prints nothing.
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
      const isSeen = new Set(confirmed?.map(({ path }) => path));
      const extras = seen.extras.filter(({ path }) => confirmed === undefined || isSeen.has(path));
      if (!seen.isWhole && extras.length > 0) seen.failures.push(notWhole(opened));
      else if (extras.length > 0) {
        const asks = seen.files === 0 && !values.allowEmpty && confirmed === undefined;
        if (asks && ctx.dryRun) refused = await tellEmptySource(ctx, opened, extras.length);
        else if (asks) await confirmEmptySource(ctx, opened, extras.length);
        for await (const outcome of removeExtras(ctx, opened, extras)) {
          tally.add(outcome);
          await rows().row(rowOf(ctx, outcome));
        }
      }
      for (const outcome of seen.failures) {
        tally.add(outcome);
        await rows().row(rowOf(ctx, outcome));
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
        // Whoever meant what is in it sees that the files are one folder deeper.
        ...(ctx.dryRun || (isTableOutput(ctx.output) && !isContent(values.source))
          ? [meaningOfSlash(values, opened)]
          : []),
        ...(seen.executable === 0
          ? []
          : [`${countOf(seen.executable, 'file')} can be executed: a volume does not keep that.`]),
        tally.sentence('copied'),
      ],
      failure: tally.failure() ?? refused,
    };
  },
});

/** The command again, with the flags that say what is to be done. */
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

const notWhole = ({ target }: Sync) => ({
  from: target.shown(''),
  to: undefined,
  bytes: 0,
  failure: new Failure({
    code: 'not-whole',
    exit: EXIT.localFile,
    message: 'nothing was removed: a folder could not be read, so it is not known what the source has',
  }),
});
