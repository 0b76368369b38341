import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import { joined } from './names.ts';
import { type FileOutcome, notDone, type Tally } from './outcomes.ts';
import type { Copy, Step } from './plan.ts';
import { copyBetween, download, folderOf, hasContent, setTime, upload } from './transfer.ts';
import { type FileEnd, shown } from './tree.ts';
import type { RangeFiles } from '../../core/context.ts';
import { type Failure, localFile, usage } from '../../core/failure.ts';
import type { WrittenFile } from '../../core/file-ports.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import { formatBytes } from '../../core/units.ts';

export const RECURSIVE = option.on('copy folders with everything in them', { short: '-r' });
export const VERIFY = option.on('compare checksums after the copy, where the service has them');

/** A copy that has ended, or an upload that is to be confirmed. */
interface Done {
  readonly copy: Copy;
  readonly outcome: FileOutcome;
  readonly written?: WrittenFile | undefined;
}

/** Uploads are confirmed together, after so many. */
const CONFIRMED_AT_ONCE = 10_000;

export interface CopyOptions {
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
  const copier = new Copier(ctx, await ctx.durable(), options);
  const progress = ctx.progress('the files');
  options.tally.showIn(progress);
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
    const failures = await copier.confirm(all);
    yield* severalAtOnce(all, (done) => copier.end(done, failures));
  };
  try {
    try {
      for await (const done of severalAtOnce(copies(), (copy) => copier.copy(copy))) {
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
    if (copier.sizeOnly > 0)
      await ctx.tell(`${countOf(copier.sizeOnly, 'file')}: the service has no MD5, so only the size was compared.`);
  } finally {
    await progress.stop();
  }
}

class Copier {
  /** Files whose ETag is no checksum. */
  sizeOnly = 0;
  readonly #folders = new Map<string, Promise<void>>();
  readonly #ctx: CommandContext;
  readonly #files: RangeFiles;
  readonly #options: CopyOptions;

  constructor(ctx: CommandContext, files: RangeFiles, options: CopyOptions) {
    [this.#ctx, this.#files, this.#options] = [ctx, files, options];
  }

  async copy(copy: Copy): Promise<Done> {
    const { to, path, refused } = copy;
    let outcome: FileOutcome = {
      from: shown(copy.from),
      to: shown(to),
      path,
      bytes: copy.from.file.bytes,
      failure: refused,
    };
    if (refused !== undefined) return { copy, outcome };
    try {
      const from = await this.#asOfNow(copy.from);
      const now = { ...copy, from };
      const there = await this.#lookAtTarget(copy);
      const isSame = there !== undefined && (await hasContent(this.#files, from, there));
      outcome = {
        ...outcome,
        bytes: from.file.bytes,
        isSame: isSame && this.#options.afterwards === undefined,
        isReplaced: there !== undefined && !isSame,
      };
      if (to.kind === 'local') await this.#prepareFolder(folderOf(to.path), to.root);
      const written = isSame ? undefined : await this.#send(now, there);
      if (isSame && from.kind === 'volume' && to.kind === 'local') await setTime(this.#files, to.path, from.file);
      if (written !== undefined) return { copy: now, outcome, written };
      return { copy, outcome: await this.#ended(now, outcome) };
    } catch (error) {
      return { copy, outcome: { ...outcome, ...notDone(error, this.#ctx) } };
    }
  }

  /** A local file may have been written since it was listed. */
  async #asOfNow(from: FileEnd): Promise<FileEnd> {
    if (from.kind === 'volume') return from;
    return { ...from, file: (await this.#files.describe(from.path).catch(() => undefined)) ?? from.file };
  }

  async #lookAtTarget({ to, there }: Copy): Promise<FileEnd | undefined> {
    if (there !== 'unknown') return there === 'nothing' ? undefined : there.at;
    if (to.kind === 'volume') {
      const file = await to.volume.find(to.key);
      return file && { ...to, file };
    }
    const file = await this.#files.describe(to.path);
    return file && { ...to, file };
  }

  async #send({ from, to }: Copy, there: FileEnd | undefined): Promise<WrittenFile | undefined> {
    const { tally, verify } = this.#options;
    const events = {
      onBytes: tally.arrived,
      onGrown: () =>
        this.#ctx.tell(`${shown(from)} grew while it was copied: its first ${formatBytes(from.file.bytes)} were.`),
    };
    const replaces = there?.file.version;
    let proven: WrittenFile | undefined;
    if (to.kind === 'volume')
      proven =
        from.kind === 'local'
          ? await upload(this.#files, from, to, replaces, events)
          : await copyBetween(this.#files, from, to, replaces, events);
    else if (from.kind === 'local') throw usage('use cp for a copy on this machine');
    else await download(this.#ctx, from, to.path, { ...events, verify });
    const volume = to.kind === 'volume' ? to.volume : from.kind === 'volume' ? from.volume : undefined;
    const file = proven ?? (from.kind === 'volume' ? from.file : undefined);
    if (verify && file !== undefined && volume?.proofOf(file).kind === 'none') this.sizeOnly += 1;
    return proven;
  }

  /** Once for each folder. It must not lead out of the target. */
  #prepareFolder(folder: string, root: string | undefined): Promise<void> {
    const prepare = async (): Promise<void> => {
      if (root !== undefined && folder.startsWith(joined(root, 'x').slice(0, -1))) {
        await this.#prepareFolder(folderOf(folder), root);
        if ((await this.#files.lookAt(folder))?.kind === 'link')
          throw localFile(`${folder} is a link, which leads out of the target`, 'Remove it, or name another target.');
      }
      await this.#files.makeFolder(folder);
      await this.#files.removeLeftovers(folder);
    };
    const prepared = this.#folders.get(folder) ?? prepare();
    this.#folders.set(folder, prepared);
    return prepared;
  }

  /** Why uploads are not on their volume, by key. All have one target. */
  async confirm(all: readonly Done[]): Promise<ReadonlyMap<string, Failure>> {
    const [first] = all.filter(({ written }) => written !== undefined);
    return first?.copy.to.kind === 'volume'
      ? await first.copy.to.volume.confirm(all.flatMap(({ written }) => written ?? []))
      : new Map();
  }

  async end({ copy, outcome, written }: Done, failures: ReadonlyMap<string, Failure>): Promise<FileOutcome> {
    if (written === undefined) return outcome;
    const failure = failures.get(written.key);
    return failure === undefined ? await this.#ended(copy, outcome) : { ...outcome, failure };
  }

  async #ended(copy: Copy, outcome: FileOutcome): Promise<FileOutcome> {
    return { ...outcome, failure: await this.#options.afterwards?.(copy) };
  }
}
