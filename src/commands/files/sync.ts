import { isOnVolume, volumeOpener } from './address.ts';
import { runCopies } from './copy.ts';
import { COPY_OPTIONS, createFilter } from './filter.ts';
import { FILE_OUTCOMES, type FileOutcome, printOutcomes, removeFiles, Tally } from './outcomes.ts';
import { type Copy, openSources, openTarget, planTree, refuseNested, sourcesAndTarget, type Step } from './plan.ts';
import { type FileEnd, removeSeen, shown, type Tree, type TreeFile } from './tree.ts';
import { ask, asks, requireYes } from '../../cli/ask.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option, type ValuesOf } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import type { RangeFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
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
  ...COPY_OPTIONS,
};

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
  output: () => FILE_OUTCOMES,
  examples: [
    ["berth files sync inputs datasets:inputs --exclude '*.tmp'", 'a folder to a volume'],
    ['berth files sync datasets:inputs inputs --delete --dry-run', 'see what would be copied and removed'],
  ],
  run: async (ctx, values) => {
    if (values.delete) requireYes(ctx);
    const { source, target } = await openBoth(ctx, values);
    const plan = planTree(ctx, source, target, await createFilter(values), values.delete);
    const steps = values.delete && asks(ctx) ? await confirmed(ctx, plan, values) : plan;
    const tally = new Tally(ctx);
    return await printOutcomes(ctx, syncFolders(ctx, { source, target, steps }, values, tally), 'copied', tally);
  },
});

type SyncValues = ValuesOf<typeof args> & ValuesOf<typeof options>;

/** Usage (2) for a file, or nested folders; not-found (4) for a missing source. */
async function openBoth(ctx: CommandContext, values: SyncValues) {
  const [[from], to] = sourcesAndTarget([values.source, values.target]);
  const open = volumeOpener(ctx);
  const [opened] = from === undefined ? [] : await openSources(ctx, from, open, values.followLinks);
  if (opened?.kind !== 'folder')
    throw usage(`${values.source} is a file`, sentence`Copy it: ${berth`files cp ${values.source} ${values.target}`}`);
  const target = await openTarget(ctx, open, to);
  refuseNested(opened.tree, target, true);
  return { source: opened.tree, target };
}

const MAX_NAMED = 20;

/** Asks about what only the target has. Where not all could be read nothing is removed, and nobody is asked. */
async function confirmed(ctx: CommandContext, plan: AsyncIterable<Step>, { target }: SyncValues): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const step of plan) steps.push(step);
  const extras = steps.flatMap((step) => (step.kind === 'extra' ? [step.file.at] : []));
  if (extras.length === 0 || steps.some(({ kind }) => kind === 'failed')) return steps;
  for (const at of extras.slice(0, MAX_NAMED)) await ctx.tell(shown(at));
  if (extras.length > MAX_NAMED) await ctx.tell(`and ${String(extras.length - MAX_NAMED)} more`);
  const size = formatBytes(extras.reduce((sum, { file }) => sum + file.bytes, 0));
  await ask(ctx, { line: `This removes ${countOf(extras.length, 'file')}, ${size}, that only ${target} has.` });
  return steps;
}

interface Sync {
  readonly source: Tree;
  readonly target: Tree;
  readonly steps: AsyncIterable<Step> | Iterable<Step>;
}

async function* syncFolders(
  ctx: CommandContext,
  { source, target, steps }: Sync,
  values: SyncValues,
  tally: Tally,
): AsyncGenerator<FileOutcome> {
  const extras: TreeFile[] = [];
  let copies = 0;
  async function* needed(): AsyncGenerator<Step> {
    for await (const step of steps) {
      if (step.kind === 'extra') extras.push(step.file);
      if (step.kind === 'copy') copies += 1;
      if (step.kind === 'copy' && step.refused === undefined && !values.checksum && isUnchanged(step))
        tally.unchanged();
      else yield step;
    }
  }
  for await (const outcome of runCopies(ctx, needed(), { verify: values.verify, tally }))
    if (outcome.same === true) tally.unchanged();
    else yield outcome;
  if (extras.length === 0) return;
  // What did not arrive may have no other copy than what would go.
  if (tally.failure() !== undefined) {
    tally.notes.push('Nothing was removed: not every file was copied, or could be looked at.');
    return;
  }
  if (copies === 0 && !values.allowEmpty)
    throw usage(
      `${values.source} has no files, and everything at the target (${String(extras.length)}) would be removed`,
      'Check that it is mounted. If it may be empty, add --allow-empty.',
    );
  const files = await ctx.durable();
  // Keeps a file that the source has by now, or that changed: another sync may have written it.
  const removals = extras.map(({ path, at }) => ({
    from: shown(at),
    bytes: at.file.bytes,
    removed: true as const,
    remove: async (): Promise<void> => {
      if ((await source.look(path))?.kind === 'file')
        throw localFile(`${shown(at)} was not removed: the source has this file by now`, 'Run it again.');
      await removeSeen(files, at);
    },
  }));
  yield* removeFiles(ctx, removals);
  await removeEmptyFolders(files, target, extras);
}

/** The inner ones first: the last file of a folder removes it. */
async function removeEmptyFolders(files: RangeFiles, target: Tree, removed: readonly TreeFile[]): Promise<void> {
  for (const { path } of removed)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const end = target.end(path.slice(0, slash));
      if (end.kind === 'local') await files.removeEmptyFolder(end.path).catch(() => undefined);
    }
}

/** A volume's time is its upload time: a local file counts as changed after it. Between volumes: the ETag. */
function isUnchanged({ from, there }: Copy): boolean {
  if (from.file.bytes !== there?.file.bytes) return false;
  const [at, other] = [from.file.modifiedAt, there.file.modifiedAt];
  if (from.kind === 'local') return isNotAfter(at, other, aheadOf(there));
  if (there.kind === 'local') return at !== undefined && (other === at || other === Math.floor(at / 1000) * 1000);
  if (from.file.version === there.file.version) return true;
  // Of a file in parts the ETag depends on their size.
  const areWhole = [from, there].every(({ volume, file }) => volume.proofOf(file)?.isWhole === true);
  return !areWhole && isNotAfter(at, other, 0);
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
