import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words.ts';
import { joined } from './names.ts';
import { type FileOutcome, notDone, type Tally } from './outcomes.ts';
import type { Copy, Step } from './plan.ts';
import {
  copyBetween,
  type CopyEvents,
  download,
  folderOf,
  hasContent,
  setTime,
  upload,
  verifyUpload,
} from './transfer.ts';
import { type FileEnd, shown } from './tree.ts';
import type { RangeFiles } from '../../core/context.ts';
import { type Failure, localFile, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { VolumeFiles, WrittenFile } from '../../core/file-ports.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import { formatBytes } from '../../core/units.ts';

export const RECURSIVE = option.on('copy folders with everything in them', { short: '-r' });
export const VERIFY = option.on('compare checksums after the copy, where the service has them');

interface Done {
  readonly copy: Copy;
  readonly wasThere?: 'nothing' | 'other' | 'same' | undefined;
  /** To be confirmed. */
  readonly written?: WrittenFile | undefined;
  readonly isPlanned?: boolean | undefined;
  readonly failure?: Failure | undefined;
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
  { verify, tally, afterwards }: CopyOptions,
): AsyncGenerator<FileOutcome> {
  const copier = new Copier(ctx, await ctx.durable(), verify, tally);
  const progress = ctx.progress('the files');
  const stopWatch = tally.watch(ctx, progress);
  const failed: FileOutcome[] = [];
  const complete = async (done: Done): Promise<Done> =>
    done.failure !== undefined || done.isPlanned === true ? done : { ...done, failure: await afterwards?.(done.copy) };
  const work = async (copy: Copy): Promise<Done> => {
    const done = await copier.copy(copy);
    return done.written === undefined ? await complete(done) : done;
  };
  const outcomeOf = ({ copy, wasThere, isPlanned, failure }: Done): FileOutcome => ({
    from: shown(copy.from),
    to: shown(copy.to),
    path: copy.path,
    bytes: copy.from.file.bytes,
    isSame: wasThere === 'same' && afterwards === undefined,
    isReplaced: wasThere === 'other',
    isPlanned,
    failure,
  });
  async function* copies(): AsyncGenerator<Copy> {
    for await (const step of steps) {
      if (step.kind === 'copy') yield step.copy;
      else if (step.kind === 'left-out') await ctx.tell(`Skipped ${step.name}: ${step.why}.`);
      else if (step.kind === 'failed') failed.push({ from: step.name, to: undefined, bytes: 0, failure: step.failure });
    }
  }
  const finish = async function* (pending: readonly Done[]): AsyncGenerator<FileOutcome> {
    const confirmed = await copier.confirm(pending);
    const completed = severalAtOnce(iterate(confirmed), (done) =>
      done.written === undefined ? Promise.resolve(done) : complete(done),
    );
    for await (const done of completed) yield outcomeOf(done);
  };
  try {
    let pending: Done[] = [];
    try {
      for await (const done of severalAtOnce(copies(), work)) {
        if (done.written === undefined && pending.length === 0) {
          yield outcomeOf(done);
          continue;
        }
        pending.push(done);
        if (pending.length < CONFIRMED_AT_ONCE) continue;
        yield* finish(pending);
        pending = [];
      }
    } catch (error) {
      // What was sent before the plan failed is confirmed all the same.
      if (!ctx.signal.aborted) yield* finish(pending);
      throw error;
    }
    yield* finish(pending);
    yield* failed;
    if (copier.sizeOnly > 0)
      await ctx.tell(`${countOf(copier.sizeOnly, 'file')}: the service has no MD5, so only the size was compared.`);
  } finally {
    stopWatch();
    await progress.stop();
  }
}

async function* iterate<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

class Copier {
  /** Files whose ETag is no checksum. */
  sizeOnly = 0;
  readonly #folders = new Map<string, Promise<void>>();
  readonly #ctx: CommandContext;
  readonly #files: RangeFiles;
  readonly #verify: boolean;
  readonly #tally: Tally;

  constructor(ctx: CommandContext, files: RangeFiles, verify: boolean, tally: Tally) {
    [this.#ctx, this.#files, this.#verify, this.#tally] = [ctx, files, verify, tally];
  }

  async copy(planned: Copy): Promise<Done> {
    if (planned.refused !== undefined) return { copy: planned, failure: planned.refused };
    let copy = planned;
    let wasThere: Done['wasThere'];
    try {
      const { to } = planned;
      copy = await this.#asOfNow(planned);
      const there = await this.#lookAtTarget(copy);
      const isSame = there !== undefined && (await hasContent(this.#files, copy.from, there));
      wasThere = isSame ? 'same' : there === undefined ? 'nothing' : 'other';
      if (to.kind === 'local') await this.#prepareFolder(folderOf(to.path), to.root);
      if (!isSame) return { copy, wasThere, written: await this.#send(copy, there) };
      if (copy.from.kind === 'volume' && to.kind === 'local') await setTime(this.#files, to.path, copy.from.file);
      return { copy, wasThere };
    } catch (error) {
      return { copy, wasThere, ...notDone(error, this.#ctx) };
    }
  }

  /** A local file may have been written since it was listed. */
  async #asOfNow(copy: Copy): Promise<Copy> {
    const { from } = copy;
    if (from.kind === 'volume') return copy;
    const file = await this.#files.describe(from.path).catch(() => undefined);
    return file === undefined ? copy : { ...copy, from: { ...from, file } };
  }

  async #lookAtTarget({ to, there }: Copy): Promise<FileEnd | undefined> {
    if (there !== 'unknown') return there === 'nothing' ? undefined : there.at;
    if (to.kind === 'volume') {
      const file = await to.volume.find(to.key);
      return file === undefined ? undefined : { ...to, file };
    }
    const file = await this.#files.describe(to.path);
    return file === undefined ? undefined : { ...to, file };
  }

  async #send(copy: Copy, there: FileEnd | undefined): Promise<WrittenFile | undefined> {
    const { from, to } = copy;
    const inFlight = { from: shown(from), bytes: from.file.bytes };
    const events: CopyEvents = {
      onBytes: (bytes) => {
        this.#tally.arrived(bytes, inFlight);
      },
      onGrown: () =>
        this.#ctx.tell(`${shown(from)} grew while it was copied: its first ${formatBytes(from.file.bytes)} were.`),
    };
    const replaces = there?.file.version;
    if (to.kind === 'volume')
      return from.kind === 'local'
        ? await upload(this.#files, from, to, replaces, events)
        : await copyBetween(from, to, replaces, events);
    if (from.kind === 'local') throw usage('use cp for a copy on this machine');
    await download(this.#ctx, from, to.path, { ...events, verify: this.#verify });
    if (this.#verify && from.volume.proofOf(from.file).kind === 'none') this.sizeOnly += 1;
    return undefined;
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

  /** Sees what was uploaded on its volumes. */
  async confirm(all: readonly Done[]): Promise<readonly Done[]> {
    const byVolume = new Map<VolumeFiles, WrittenFile[]>();
    for (const { copy, written } of all)
      if (written !== undefined && copy.to.kind === 'volume')
        byVolume
          .set(copy.to.volume, byVolume.get(copy.to.volume) ?? [])
          .get(copy.to.volume)
          ?.push(written);
    const failures = new Map<WrittenFile, Failure>();
    for (const [volume, written] of byVolume) {
      const found = await volume.confirm(written);
      for (const each of written) {
        const failure = found.get(each.key);
        if (failure !== undefined) failures.set(each, failure);
      }
    }
    const confirmed: Done[] = [];
    const verified = async (done: Done): Promise<Done> => {
      const failure = done.written === undefined ? undefined : failures.get(done.written);
      if (failure !== undefined) return { copy: done.copy, failure };
      if (!this.#verify || done.written === undefined) return done;
      try {
        if (!(await verifyUpload(this.#files, done.copy))) this.sizeOnly += 1;
        return done;
      } catch (error) {
        rethrowUnlessFailure(error, this.#ctx);
        return { copy: done.copy, failure: error };
      }
    };
    for await (const done of severalAtOnce(iterate(all), verified)) confirmed.push(done);
    return confirmed;
  }
}
