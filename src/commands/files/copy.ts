import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { folderOf, joined } from './names.ts';
import { type FileOutcome, notDone, type Tally } from './outcomes.ts';
import type { Copy, Step } from './plan.ts';
import { hasContent, setTime, transfer } from './transfer.ts';
import { type FileEnd, fileHere, shown } from './tree.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import type { WrittenFile } from '../../core/file-ports.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';

/** A copy that has ended, or an upload that is to be confirmed. */
interface Done {
  readonly copy: Copy;
  readonly outcome: FileOutcome;
  readonly written?: WrittenFile | undefined;
}

/** Uploads are confirmed together, after so many. */
const CONFIRMED_AT_ONCE = 10_000;

interface CopyOptions {
  readonly verify: boolean;
  readonly tally: Tally;
  /** After a copy is confirmed; returns why it failed. */
  readonly afterwards?: (copy: Copy) => Promise<Failure | undefined>;
}

/** Makes the copies of a plan; what else it has is told. A dry run copies nothing. In the order of the plan. */
export async function* runCopies(
  ctx: CommandContext,
  steps: AsyncIterable<Step>,
  options: CopyOptions,
): AsyncGenerator<FileOutcome> {
  const { tally, afterwards } = options;
  const copier = await createCopier(ctx, options);
  const progress = ctx.progress('the files');
  tally.progress = progress;
  const failed: FileOutcome[] = [];
  async function* copies(): AsyncGenerator<Copy> {
    for await (const step of steps) {
      if (step.kind === 'copy') yield step;
      else if (step.kind === 'left-out') await ctx.tell(`Skipped ${step.name}: ${step.why}.`);
      else if (step.kind === 'failed') failed.push({ from: step.name, to: undefined, bytes: 0, failure: step.failure });
    }
  }
  let pending: Done[] = [];
  const confirmed = async function* (): AsyncGenerator<FileOutcome> {
    const all = pending;
    pending = [];
    // Why uploads are not on their volume, by key. All have one target.
    const [first] = all.flatMap(({ written, copy: { to } }) => (written && to.kind === 'volume' ? [to.volume] : []));
    const failures = await first?.confirm(all.flatMap(({ written }) => written ?? []));
    yield* severalAtOnce(all, async ({ copy, outcome, written }) => {
      if (written === undefined) return outcome;
      return { ...outcome, failure: failures?.get(written.key) ?? (await afterwards?.(copy)) };
    });
  };
  try {
    try {
      for await (const done of severalAtOnce(copies(), copier.copy)) {
        if (done.written === undefined && pending.length === 0) yield done.outcome;
        else pending.push(done);
        if (pending.length >= CONFIRMED_AT_ONCE) yield* confirmed();
      }
    } catch (error) {
      // What was sent before the plan failed is confirmed all the same.
      if (!ctx.signal.aborted) yield* confirmed();
      throw error;
    }
    yield* confirmed();
    yield* failed;
    const unproven = copier.sizeOnly();
    if (unproven > 0)
      tally.notes.push(`${countOf(unproven, 'file')}: the service has no MD5, so only the size was compared.`);
  } finally {
    await progress.stop();
  }
}

async function createCopier(ctx: CommandContext, { verify, tally, afterwards }: CopyOptions) {
  const files = await ctx.durable();
  const folders = new Map<string, Promise<void>>();
  let sizeOnly = 0;

  const lookAtTarget = async ({ to, there }: Copy): Promise<FileEnd | undefined> => {
    if (there !== 'unknown') return there === 'nothing' ? undefined : there;
    if (to.kind === 'volume') {
      const file = await to.volume.find(to.key);
      return file && { ...to, file };
    }
    const file = await fileHere(files, to.path);
    return file && { ...to, file };
  };

  /** Once for each folder. It must not lead out of the target. */
  const prepareFolder = (folder: string, root: string | undefined): Promise<void> => {
    const prepare = async (): Promise<void> => {
      if (root !== undefined && folder.startsWith(joined(root, 'x').slice(0, -1))) {
        await prepareFolder(folderOf(folder), root);
        if ((await files.lookAt(folder))?.kind === 'link')
          throw localFile(`${folder} is a link, which leads out of the target`, 'Remove it, or name another target.');
      }
      await files.makeFolder(folder);
      await files.removeLeftovers(folder);
    };
    const prepared = folders.get(folder) ?? prepare();
    folders.set(folder, prepared);
    return prepared;
  };

  const copy = async (planned: Copy): Promise<Done> => {
    const { from: seen, to, refused: failure } = planned;
    let outcome: FileOutcome = { from: shown(seen), to: shown(to), bytes: seen.file.bytes, failure };
    if (failure !== undefined) return { copy: planned, outcome };
    try {
      // A local file may have been written since it was listed.
      const now = seen.kind === 'volume' ? undefined : await fileHere(files, seen.path).catch(() => undefined);
      const from = seen.kind === 'volume' ? seen : { ...seen, file: now ?? seen.file };
      const done = { ...planned, from };
      const there = await lookAtTarget(planned);
      const isSame = there !== undefined && (await hasContent(files, from, there));
      outcome = { ...outcome, bytes: from.file.bytes, isSame: isSame && afterwards === undefined };
      if (to.kind === 'local') await prepareFolder(folderOf(to.path), to.root);
      if (isSame) {
        if (from.kind === 'volume' && to.kind === 'local') await setTime(files, to.path, from.file);
        return { copy: done, outcome: { ...outcome, failure: await afterwards?.(done) } };
      }
      const onBytes = (bytes: number): void => {
        tally.arrived(bytes);
      };
      const written = await transfer(ctx, { from, to, replaces: there?.file.version, verify, onBytes });
      const onVolume = to.kind === 'volume' ? to.volume : from.kind === 'volume' ? from.volume : undefined;
      const file = written ?? (from.kind === 'volume' ? from.file : undefined);
      if (verify && file !== undefined && onVolume?.proofOf(file).kind === 'none') sizeOnly += 1;
      if (written !== undefined) return { copy: done, outcome, written };
      return { copy: done, outcome: { ...outcome, failure: await afterwards?.(done) } };
    } catch (error) {
      return { copy: planned, outcome: { ...outcome, ...notDone(error, ctx) } };
    }
  };
  /** `sizeOnly`: files whose ETag is no checksum. */
  return { copy, sizeOnly: (): number => sizeOnly };
}
