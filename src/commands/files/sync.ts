import { isOnVolume, parseFileAddress, volumeOpener } from './address.ts';
import { runCopies, VERIFY } from './copy.ts';
import { CHOICE_OPTIONS, createFilter, FOLLOW_LINKS } from './filter.ts';
import { FILE_OUTCOMES_AND_WHOLE, type FileOutcome, printOutcomes, removeFiles, Tally } from './outcomes.ts';
import { type Copy, openSource, openTarget, type Place, planTree, refuseNested, type Step } from './plan.ts';
import { sourceOf } from './transfer.ts';
import { type FileEnd, removeSeen, shown, type Tree, type TreeFile } from './tree.ts';
import { ask, asks, requireYes } from '../../cli/ask.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option, type ValuesOf } from '../../cli/model/params.ts';
import { sameCommand } from '../../cli/run/same-command.ts';
import { countOf } from '../../cli/words.ts';
import type { RangeFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { collectBytes } from '../../core/files.ts';
import { berth, sentence } from '../../core/message.ts';
import type { Bytes, EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';

const args = {
  source: arg.text('the folder to take: VOLUME:PATH or a local path', {
    metavar: 'SRC',
    complete: 'file-or-volume-path',
  }),
  target: arg.text('the folder that becomes like it', { metavar: 'DST', complete: 'file-or-volume-path' }),
};

const options = {
  checksum: option.on('compare all files by checksum, not by size and time'),
  delete: option.on('remove files that only the target has'),
  yes: yesOption,
  allowEmpty: option.on('with --delete: the source may be empty'),
  ...CHOICE_OPTIONS,
  ignoreFile: option.texts('files in SRC with patterns to leave out, such as .gitignore', { metavar: 'NAME' }),
  followLinks: FOLLOW_LINKS,
  verify: VERIFY,
};

const MAX_NAMED = 20;

export const sync = defineCommand({
  summary: 'make a folder like another one, to or from a network volume',
  details:
    'Same size and time is unchanged; the rest is compared by checksum. --delete removes after the copies, and nothing if a copy failed or a list was incomplete. Filters are patterns of .gitignore; what they leave out is kept.',
  args,
  options,
  writes: true,
  destroys: true,
  needs: (values) => (!isOnVolume(values.target) ? 'read' : values.delete ? 'full' : 'write'),
  changesMachine: true,
  output: FILE_OUTCOMES_AND_WHOLE,
  examples: [
    ["berth files sync inputs datasets:inputs --exclude '*.tmp'", 'a folder to a volume'],
    ['berth files sync datasets:inputs inputs --delete --dry-run', 'see what would be copied and removed'],
  ],
  run: async (ctx, values) => {
    if (values.delete) requireYes(ctx);
    const opened = await openSync(ctx, values);
    const asked = values.delete && asks(ctx) ? await askAboutExtras(ctx, values, opened) : undefined;
    ctx.setResumeCommand(sameCommand({ args, options }, values, ['files', 'sync']));
    const tally = new Tally(ctx);
    const notes: string[] = [];
    const outcomes = syncFolders(ctx, opened, values, { tally, asked, notes });
    return await printOutcomes(ctx, outcomes, 'copied', { tally, hasWhole: true, notes });
  },
});

type SyncValues = ValuesOf<typeof args> & ValuesOf<typeof options>;

interface Sync {
  readonly source: Tree;
  readonly target: Tree;
  readonly plan: () => AsyncIterable<Step>;
}

/** What only the target has, and may be removed; none where not all of it could be read. */
async function askAboutExtras(
  ctx: CommandContext,
  { source, target }: SyncValues,
  { plan }: Sync,
): Promise<ReadonlySet<string>> {
  const extras: TreeFile[] = [];
  let isEmpty = true;
  for await (const step of plan()) {
    if (step.kind === 'extra') extras.push(step.file);
    else if (step.kind === 'copy') isEmpty = false;
    else if (step.kind === 'failed') return new Set();
  }
  if (extras.length === 0) return new Set();
  if (isEmpty) await ctx.tell(`${source} has no files. Is it mounted?`);
  for (const { at } of extras.slice(0, MAX_NAMED)) await ctx.tell(shown(at));
  if (extras.length > MAX_NAMED) await ctx.tell(`and ${String(extras.length - MAX_NAMED)} more`);
  const size = formatBytes(extras.reduce((sum, { at }) => sum + at.file.bytes, 0));
  await ask(ctx, { line: `This removes ${countOf(extras.length, 'file')}, ${size}, that only ${target} has.` });
  return new Set(extras.map(({ path }) => path));
}

interface SyncRun {
  readonly tally: Tally;
  /** The paths that may be removed, where somebody was asked. */
  readonly asked: ReadonlySet<string> | undefined;
  readonly notes: string[];
}

async function* syncFolders(
  ctx: CommandContext,
  sync: Sync,
  values: SyncValues,
  { tally, asked, notes }: SyncRun,
): AsyncGenerator<FileOutcome> {
  const extras: TreeFile[] = [];
  let count = 0;
  async function* needed(): AsyncGenerator<Step> {
    for await (const step of sync.plan()) {
      if (step.kind === 'extra' && asked?.has(step.file.path) !== false) extras.push(step.file);
      if (step.kind === 'copy') count += 1;
      const mayBeUnchanged = step.kind === 'copy' && step.refused === undefined && !values.checksum;
      if (mayBeUnchanged && isUnchanged(step)) tally.unchanged();
      else yield step;
    }
  }
  for await (const outcome of runCopies(ctx, needed(), { verify: values.verify, tally }))
    if (outcome.isSame === true) tally.unchanged();
    else yield outcome;
  if (extras.length === 0) return;
  // What did not arrive may have no other copy than what would go.
  if (tally.failure() !== undefined) {
    notes.push('Nothing was removed: not every file was copied, or could be looked at.');
    return;
  }
  if (count === 0 && !values.allowEmpty && asked === undefined)
    throw usage(
      `${values.source} has no files, and everything at the target (${String(extras.length)}) would be removed`,
      'Check that it is mounted. If it may be empty, add --allow-empty.',
    );
  yield* removeExtras(ctx, sync, extras);
}

/** Usage (2) for two local folders, a file, or nested folders; not-found (4) for a missing source. */
async function openSync(ctx: CommandContext, values: SyncValues): Promise<Sync> {
  const [from, to] = [placeOf(values.source), placeOf(values.target)];
  if (from.kind === 'local' && to.kind === 'local')
    throw usage('none of the places is on a volume', 'Write VOLUME:PATH for a folder on a volume.');
  const files = await ctx.durable();
  const open = volumeOpener(ctx);
  const opened = await openSource(from, open, values.followLinks, ctx);
  if (opened.kind === 'file')
    throw usage(`${values.source} is a file`, sentence`Copy it: ${berth`files cp ${values.source} ${values.target}`}`);
  const source = opened.tree;
  const target = await openTarget(ctx, open, to);
  refuseNested(source, target, true);
  const rules = await Promise.all(values.ignoreFile.map((name) => rulesIn(files, source, name)));
  const filter = await createFilter({ ...values, exclude: [...values.exclude, ...rules] });
  return { source, target, plan: () => planTree(ctx, source, target, { filter, hasExtras: values.delete }) };
}

const MAX_RULES_BYTES: Bytes = 1_048_576;

/** Empty without such a file. */
async function rulesIn(files: RangeFiles, source: Tree, name: string): Promise<string> {
  const item = await source.look(name);
  if (item?.kind !== 'file') return '';
  const content = sourceOf(files, item.at);
  const rules = await collectBytes(content.read(0, content.bytes), MAX_RULES_BYTES);
  if (rules === undefined) throw localFile(`${shown(item.at)} is too large for a file with rules`);
  return rules.toString();
}

function placeOf(word: string): Place {
  const place = parseFileAddress(word);
  if (place.kind === 'stream') throw usage('cannot sync "-"', 'Write VOLUME:PATH, or a local path.');
  return place;
}

/** A volume's time is its upload time: a local file counts as changed after it. Between volumes: the ETag. */
function isUnchanged({ from, there, modifiedAt: at }: Copy): boolean {
  if (there === 'nothing' || there === 'unknown' || from.file.bytes !== there.at.file.bytes) return false;
  const other = there.modifiedAt;
  if (from.kind === 'local') return isNotAfter(at, other, aheadOf(there.at));
  if (there.at.kind === 'local') return at !== undefined && (other === at || other === Math.floor(at / 1000) * 1000);
  if (from.file.version === there.at.file.version) return true;
  const isWhole = (end: Extract<FileEnd, { kind: 'volume' }>) => end.volume.proofOf(end.file).kind === 'whole';
  return isWhole(from) !== isWhole(there.at) && isNotAfter(at, other, 0);
}

/** Clocks that differ by less are taken for the same: the service says its time to the second. */
const LEAST_DIFFERENCE_MS: Milliseconds = 2000;

/** How far the clock of a volume is ahead of this machine's, at most. */
function aheadOf(end: FileEnd): Milliseconds {
  const ahead = end.kind === 'volume' ? end.volume.aheadMs() : 0;
  return Math.abs(ahead) <= LEAST_DIFFERENCE_MS ? 0 : ahead + 1000;
}

const isNotAfter = (one: EpochMs | undefined, other: EpochMs | undefined, aheadMs: Milliseconds): boolean =>
  one !== undefined && other !== undefined && one + aheadMs <= other;

/** Keeps a file that the source has by now, or that changed: another sync may have written it. */
async function* removeExtras(
  ctx: CommandContext,
  { source, target }: Sync,
  extras: readonly TreeFile[],
): AsyncGenerator<FileOutcome> {
  const files = await ctx.durable();
  yield* removeFiles(ctx, extras, ({ path, at }) => ({
    about: { from: shown(at), path, bytes: at.file.bytes, isRemoved: true },
    remove: async () => {
      if ((await source.look(path))?.kind === 'file')
        throw localFile(`${shown(at)} was not removed: the source has this file by now`, 'Run it again.');
      await removeSeen(files, at);
    },
  }));
  for (const folder of foldersOf(extras)) {
    const end = target.end(folder);
    if (end.kind === 'local') await files.removeEmptyFolder(end.path).catch(() => undefined);
  }
}

/** The inner ones first. */
function foldersOf(extras: readonly TreeFile[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of extras)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
      folders.add(path.slice(0, slash));
  return [...folders].sort((one, other) => other.length - one.length);
}
