import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words.ts';
import { joined } from './names.ts';
import { type FileOutcome, notDone, type Tally } from './outcomes.ts';
import type { Copy, Step } from './plan.ts';
import { type End, type FileEnd, fileHere, type FileOnVolume, type LocalFile, shown } from './tree.ts';
import type { RangeFiles, RangeWriter } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { FileSource, VolumeFile, VolumeFiles, WrittenFile } from '../../core/file-ports.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Exactly these bytes of a file of this machine. */
async function* rangeOf(files: RangeFiles, path: string, start: Bytes, end: Bytes): AsyncGenerator<Uint8Array> {
  let at = start;
  if (at < end)
    for await (const chunk of files.read(path, at)) {
      const wanted = chunk.subarray(0, end - at);
      at += wanted.byteLength;
      yield wanted;
      if (at === end) return;
    }
  if (at < end) throw localFile(`${path} became shorter while it was read`, 'Copy it when nothing writes to it.');
}

const sourceOf = (files: RangeFiles, from: FileEnd): FileSource => ({
  bytes: from.file.bytes,
  read: (start, end) =>
    from.kind === 'local' ? rangeOf(files, from.path, start, end) : from.volume.read(from.file, start, end),
});

/** By size and checksum; false where the ETag is no checksum. */
async function isSame(volume: VolumeFiles, file: VolumeFile, source: FileSource): Promise<boolean> {
  const proof = volume.proofOf(file);
  if (proof === undefined || file.bytes !== source.bytes) return false;
  const digests: Buffer[] = [];
  for (let start = 0; start < file.bytes; start += proof.partBytes) {
    const hash = createHash('md5');
    for await (const chunk of source.read(start, Math.min(start + proof.partBytes, file.bytes))) hash.update(chunk);
    digests.push(hash.digest());
  }
  return proof.agrees(digests);
}

/** Whether the target has the content of the source already. */
async function hasContent(files: RangeFiles, from: FileEnd, to: FileEnd): Promise<boolean> {
  if (from.kind === 'volume' && to.kind === 'volume')
    return from.file.bytes === to.file.bytes && from.file.version === to.file.version;
  const [volume, local] = from.kind === 'volume' ? [from, to] : [to, from];
  return volume.kind === 'volume' && (await isSame(volume.volume, volume.file, sourceOf(files, local)));
}

interface Transfer {
  readonly from: FileEnd;
  readonly to: End;
  /** What it replaces. */
  readonly there: FileEnd | undefined;
  /** What comes here is hashed, and compared with the ETag. */
  readonly verify: boolean;
  readonly onBytes: (bytes: Bytes) => void;
}

/** Returns what was written to a volume. Local-file (14) where the source changed, but not where it only grew. */
async function transfer(ctx: CommandContext, work: Transfer): Promise<WrittenFile | undefined> {
  const { from, to, there, onBytes } = work;
  const replaces = there?.file.version;
  const files = await ctx.durable();
  if (to.kind === 'local') {
    if (from.kind === 'volume') await download(ctx, from, to.path, work);
    return undefined;
  }
  // By the service, where the ETag will prove the copy: that of a file in parts changes.
  if (from.kind === 'volume' && from.volume.id === to.volume.id && from.volume.proofOf(from.file)?.isWhole === true) {
    const copied = await from.volume.copy(from.file, to.key);
    onBytes(from.file.bytes);
    return { ...copied, replaces };
  }
  const source = sourceOf(files, from);
  const written = await to.volume.write(to.key, { ...source, replaces }, onBytes);
  if (from.kind === 'local' && !(await isUnchanged(files, from, to.volume, written)))
    throw localFile(`${from.path} changed while it was read`, 'Copy it when nothing writes to it.');
  return written;
}

/** Where it grew, what was sent must still be its beginning. */
async function isUnchanged(files: RangeFiles, from: LocalFile, volume: VolumeFiles, written: VolumeFile) {
  const now = await fileHere(files, from.path);
  if (now?.version === from.file.version) return true;
  return now !== undefined && now.bytes > from.file.bytes && (await isSame(volume, written, sourceOf(files, from)));
}

/** Before the process's mask. An executable file that is replaced stays one: a volume stores no modes. */
const [FILE_MODE, EXECUTABLE_MODE] = [0o666, 0o777];

const RANGE_BYTES: Bytes = 16 * 1024 * 1024;
const RANGES_AT_ONCE = 8;

/** Until it is complete it has a temporary name, and what was there before stays. */
async function download(
  ctx: CommandContext,
  from: FileOnVolume,
  target: string,
  { there, verify, onBytes }: Transfer,
): Promise<void> {
  const { volume, file } = from;
  const files = await ctx.durable();
  const mark = createHash('sha256').update(`${String(ctx.random())} ${target}`);
  const partial = joined(dirname(target), `.berth-${mark.digest('hex').slice(0, 12)}.partial`);
  const output = await files.openRanges(
    partial,
    there?.kind === 'local' && there.file.executable ? EXECUTABLE_MODE : FILE_MODE,
  );
  try {
    try {
      await readAll(from, output, verify, onBytes).catch(async (error: unknown) => {
        const isOfFile = error instanceof Failure && error.exit === EXIT.localFile;
        if (!isOfFile || ((await volume.find(file.key))?.bytes ?? 0) <= file.bytes) throw error;
        // It grew. One answer has one version of it, whatever is added meanwhile.
        let at = 0;
        for await (const chunk of volume.read({ ...file, version: '' })) {
          output.write(chunk, at);
          at += chunk.byteLength;
        }
      });
      await output.finish(file.bytes);
    } finally {
      await output.close();
    }
    await files.replace(partial, target);
  } catch (error) {
    await files.remove(partial).catch(() => undefined);
    throw error;
  }
  await setTime(files, target, file);
}

/** Only a file's owner may set its time. */
async function setTime(files: RangeFiles, path: string, { modifiedAt }: VolumeFile): Promise<void> {
  if (modifiedAt !== undefined) await files.setTime(path, modifiedAt).catch(() => undefined);
}

async function readAll(
  { volume, file }: FileOnVolume,
  output: RangeWriter,
  verify: boolean,
  onBytes: (bytes: Bytes) => void,
): Promise<void> {
  const proof = verify ? volume.proofOf(file) : undefined;
  const size = proof?.partBytes ?? RANGE_BYTES;
  const starts = Array.from({ length: Math.ceil(file.bytes / size) }, (_, index) => index * size);
  const readRange = async (start: Bytes): Promise<Buffer> => {
    const hash = createHash('md5');
    let at = start;
    const take = (chunk: Uint8Array): void => {
      if (proof !== undefined) hash.update(chunk);
      output.write(chunk, at);
      at += chunk.byteLength;
      onBytes(chunk.byteLength);
    };
    for await (const chunk of volume.read(file, start, Math.min(start + size, file.bytes), take)) take(chunk);
    return hash.digest();
  };
  const digests: Buffer[] = [];
  for await (const digest of severalAtOnce(starts, readRange, { atOnce: RANGES_AT_ONCE })) digests.push(digest);
  if (proof?.agrees(digests) === false)
    throw localFile(`what was read of ${file.key} is not what the volume has`, 'Run it again.');
}

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
  const copy = await createCopier(ctx, options);
  const progress = ctx.progress('the files');
  tally.progress = progress;
  const failed: FileOutcome[] = [];
  async function* copies(): AsyncGenerator<Copy> {
    for await (const step of steps) {
      if (step.kind === 'copy') yield step;
      else if (step.kind === 'left-out') await ctx.tell(`Skipped ${step.name}: ${step.why}.`);
      else if (step.kind === 'failed') failed.push({ from: step.name, bytes: 0, failure: step.failure });
    }
  }
  let pending: Done[] = [];
  const confirmed = async function* (): AsyncGenerator<FileOutcome> {
    const all = pending;
    pending = [];
    // Why uploads are not on their volume, by key. All have one target.
    const to = all[0]?.copy.to;
    const sent = all.flatMap(({ written }) => written ?? []);
    const failures = to?.kind === 'volume' ? await to.volume.confirm(sent) : undefined;
    yield* severalAtOnce(all, async ({ copy, outcome, written }) => {
      if (written === undefined) return outcome;
      return { ...outcome, failure: failures?.get(written.key) ?? (await afterwards?.(copy)) };
    });
  };
  try {
    try {
      for await (const done of severalAtOnce(copies(), copy)) {
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
    if (tally.sizeOnly > 0)
      tally.notes.push(`${countOf(tally.sizeOnly, 'file')}: the service has no MD5, so only the size was compared.`);
  } finally {
    await progress.stop();
  }
}

async function createCopier(ctx: CommandContext, { verify, tally, afterwards }: CopyOptions) {
  const files = await ctx.durable();
  const folders = new Map<string, Promise<void>>();

  /** Once for each folder. It must not lead out of the target. */
  const prepareFolder = (folder: string, root: string | undefined): Promise<void> => {
    const prepare = async (): Promise<void> => {
      if (root !== undefined && folder.startsWith(joined(root, 'x').slice(0, -1))) {
        await prepareFolder(dirname(folder), root);
        if ((await files.lookAt(folder))?.kind === 'link')
          throw localFile(`${folder} is a link, which leads out of the target`, 'Remove it, or name another target.');
      }
      await files.makeFolder(folder);
    };
    const prepared = folders.get(folder) ?? prepare();
    folders.set(folder, prepared);
    return prepared;
  };

  return async (planned: Copy): Promise<Done> => {
    const { from: seen, to, there, refused: failure } = planned;
    let outcome: FileOutcome = { from: shown(seen), to: shown(to), bytes: seen.file.bytes, failure };
    if (failure !== undefined) return { copy: planned, outcome };
    try {
      // A local file may have been written since it was listed.
      const now = seen.kind === 'volume' ? undefined : await fileHere(files, seen.path).catch(() => undefined);
      const from = seen.kind === 'volume' ? seen : { ...seen, file: now ?? seen.file };
      const done = { ...planned, from };
      const isSame = there !== undefined && (await hasContent(files, from, there));
      outcome = { ...outcome, bytes: from.file.bytes };
      if (isSame && afterwards === undefined) outcome = { ...outcome, same: true };
      if (to.kind === 'local') await prepareFolder(dirname(to.path), to.root);
      let written: WrittenFile | undefined;
      if (!isSame) {
        const onBytes = tally.arrived.bind(tally);
        written = await transfer(ctx, { from, to, there, verify, onBytes });
        const volume = to.kind === 'volume' ? to.volume : from.kind === 'volume' ? from.volume : undefined;
        const file = written ?? (from.kind === 'volume' ? from.file : undefined);
        if (verify && file !== undefined && volume?.proofOf(file) === undefined) tally.sizeOnly += 1;
      } else if (from.kind === 'volume' && to.kind === 'local') await setTime(files, to.path, from.file);
      if (written !== undefined) return { copy: done, outcome, written };
      return { copy: done, outcome: { ...outcome, failure: await afterwards?.(done) } };
    } catch (error) {
      return { copy: planned, outcome: { ...outcome, ...notDone(error, ctx) } };
    }
  };
}
