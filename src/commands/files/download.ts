import { createHash } from 'node:crypto';
import { contentOf, type CopyEvents, type WasThere } from './copy.ts';
import type { AppendFile, RangeFiles, RangeWriter } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { ContentProof, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { collectBytes } from '../../core/files.ts';
import { allEnded } from '../../core/several-at-once.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';

/** Completed ranges of an unfinished download, one a line, in a file beside it. */
interface DownloadRecord {
  readonly done: ReadonlySet<number>;
  add(index: number): Promise<void>;
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** 4 TB in ranges of 16 MiB are 250,000 lines. */
const MAX_BYTES: Bytes = 4 * 1024 * 1024;

/** Ignores a record with another `head` (first line), and a truncated last line. Local-file (14). */
async function openDownloadRecord(files: RangeFiles, path: string, head: string): Promise<DownloadRecord> {
  const text = (await files.size(path)) === undefined ? undefined : await readText(files, path);
  const lines = text?.slice(0, text.lastIndexOf('\n') + 1).split('\n') ?? [];
  const isKnown = lines[0] === head;
  if (text !== undefined && !isKnown) await files.remove(path);
  let file: AppendFile;
  if (isKnown) {
    file = await files.open(path);
    await file.truncate(Buffer.byteLength(lines.join('\n')));
  } else {
    file = await files.create(path);
    await file.append(Buffer.from(`${head}\n`));
  }
  return {
    done: new Set(
      isKnown
        ? lines
            .slice(1)
            .filter((line) => /^\d{1,7}$/.test(line))
            .map(Number)
        : [],
    ),
    add: (index) => file.append(Buffer.from(`${String(index)}\n`)),
    close: () => file.close(),
    remove: () => files.remove(path),
  };
}

async function readText(files: RangeFiles, path: string): Promise<string | undefined> {
  return (await collectBytes(files.read(path, 0), MAX_BYTES))?.toString();
}

/** Before the process's mask. */
const FILE_MODE = 0o666;
/** For replacing an executable file: a volume stores no modes. */
const EXECUTABLE_MODE = 0o777;

/** If the parts of the file do not say another size. */
const RANGE_BYTES: Bytes = 16 * 1024 * 1024;

const RANGES_AT_ONCE = 8;

/** Up to this size the digest is computed on arrival: another thread would take longer. */
const SMALL_BYTES: Bytes = 262_144;

/** Resumes finished ranges of the same version; digests on disk must match the ETag, else reads again. */
export async function download(
  files: RangeFiles,
  volume: VolumeFiles,
  file: VolumeFile,
  target: string,
  { onBytes, onGrown }: CopyEvents,
): Promise<WasThere> {
  // Replaces only a file: not a pipe that another program reads, not a device.
  const { kind } = await files.resolve(target);
  if (kind === 'other') throw localFile(`${target} is not a regular file`, 'Name another place, or move it away.');
  const there = kind === 'nothing' ? undefined : await files.size(target);
  const names = temporaryNames(target, file);
  const proof = volume.proofOf(file);
  const isSmall = file.bytes <= SMALL_BYTES && proof.kind !== 'parts';
  if (there !== undefined && (await volume.isSame(file, { bytes: there, ...contentOf(files, target) }))) {
    // A download killed at its end may have left it.
    if (!isSmall) await files.remove(names.record);
    // Only a file's owner may set its time.
    if (file.modifiedAt !== undefined) await files.setTime(target, file.modifiedAt).catch(() => undefined);
    return 'same';
  }
  if (!isSmall) await prepareRanges(files, names, target, file);
  const isExecutable = there !== undefined && (await files.lookAt(target))?.executable === true;
  const output = await files.openRanges(names.partial, isExecutable ? EXECUTABLE_MODE : FILE_MODE);
  const readAll = (): Promise<void> =>
    isSmall
      ? readSmall(volume, file, output, proof, onBytes)
      : readRanges(files, volume, file, { output, names, proof, onBytes });
  try {
    await readAll().catch(async (error: unknown) => {
      const isOfFile = error instanceof Failure && error.exit === EXIT.localFile;
      if (!isOfFile || ((await volume.find(file.key))?.bytes ?? 0) <= file.bytes) throw error;
      // One answer has one version of it, whatever is added meanwhile.
      await readSmall(volume, { ...file, version: undefined }, output, { kind: 'none' }, () => undefined);
      await onGrown();
    });
    await output.finish(file.bytes, file.modifiedAt);
  } finally {
    await output.close();
  }
  await files.replace(names.partial, target);
  if (!isSmall) await files.remove(names.record);
  return there === undefined ? 'nothing' : 'other';
}

interface Names {
  readonly partial: string;
  readonly record: string;
}

/** Another version of the file has other names. */
function temporaryNames(target: string, { key, version }: VolumeFile): Names {
  const slash = Math.max(target.lastIndexOf('/'), target.lastIndexOf('\\')) + 1;
  const mark = createHash('sha256').update(`${key}\n${version}`).digest('hex').slice(0, 12);
  // Short, to leave room for a long target name.
  const base = `${target.slice(0, slash)}.berth-${mark}`;
  return { partial: `${base}.partial`, record: `${base}.ranges` };
}

/** A record without its file means nothing. Local-file (14) if the disk has too little space. */
async function prepareRanges(
  files: RangeFiles,
  { partial, record }: Names,
  target: string,
  { key, bytes }: VolumeFile,
): Promise<void> {
  const there = await files.size(partial);
  if (there === undefined) await files.remove(record);
  const free = await files.freeBytes(target);
  const missing = bytes - (there ?? 0);
  if (free === undefined || missing <= free) return;
  throw localFile(
    `${key} does not fit on the disk: it needs ${formatBytes(missing)}, and ${formatBytes(free)} are free`,
    'Make space, or choose another folder; then run it again.',
  );
}

const notTheSame = (key: string) => localFile(`what was read of ${key} is not what the volume has`, 'Run it again.');

async function readSmall(
  volume: VolumeFiles,
  file: Parameters<VolumeFiles['read']>[0],
  output: RangeWriter,
  proof: ContentProof,
  onBytes: (bytes: Bytes) => void,
): Promise<void> {
  const hash = createHash('md5');
  let at = 0;
  for await (const chunk of volume.read(file)) {
    await output.write(chunk, at);
    hash.update(chunk);
    at += chunk.byteLength;
  }
  if (proof.kind === 'whole' && hash.digest('hex') !== proof.md5) throw notTheSame(file.key);
  onBytes(file.bytes);
}

interface Ranges {
  readonly output: RangeWriter;
  readonly names: Names;
  readonly proof: ContentProof;
  readonly onBytes: (bytes: Bytes) => void;
}

async function readRanges(
  files: RangeFiles,
  volume: VolumeFiles,
  file: VolumeFile,
  { output, names, proof, onBytes }: Ranges,
): Promise<void> {
  const size = proof.kind === 'parts' ? proof.partBytes : RANGE_BYTES;
  let before: readonly Buffer[] | undefined;
  for (;;) {
    const record = await openDownloadRecord(files, names.record, `ranges of ${String(size)} bytes`);
    let digests: readonly Buffer[];
    try {
      digests = await readMissing(files, volume, file, { output, names, proof, onBytes }, record, size);
    } finally {
      await record.close();
    }
    if (await agrees(files, names.partial, file, proof, digests)) return;
    // The part size is a guess for files of other programs: then two equal readings are the proof.
    if (before !== undefined && proof.kind === 'parts' && digests.every((digest, at) => before?.[at]?.equals(digest)))
      return;
    await record.remove();
    if (before !== undefined) throw notTheSame(file.key);
    onBytes(-file.bytes);
    before = digests;
  }
}

async function agrees(
  files: RangeFiles,
  partial: string,
  { bytes }: VolumeFile,
  proof: ContentProof,
  digests: readonly Buffer[],
): Promise<boolean> {
  if (proof.kind === 'none') return true;
  if (proof.kind === 'parts') return proof.agrees(digests);
  const [digest] = await files.digests(partial, 0, bytes, ['md5']);
  return digest?.toString('hex') === proof.md5;
}

/** Returns all digests from the disk if the proof is of parts. */
async function readMissing(
  files: RangeFiles,
  volume: VolumeFiles,
  file: VolumeFile,
  { output, names, proof, onBytes }: Ranges,
  record: DownloadRecord,
  size: number,
): Promise<readonly Buffer[]> {
  const count = Math.ceil(file.bytes / size);
  const digests: Buffer[] = [];
  let next = 0;
  const readNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const [start, end] = [index * size, Math.min((index + 1) * size, file.bytes)];
      if (record.done.has(index)) onBytes(end - start);
      else {
        let at = start;
        for await (const chunk of volume.read(file, start, end)) {
          await output.write(chunk, at);
          at += chunk.byteLength;
          onBytes(chunk.byteLength);
        }
        // Nothing proves it later: what the record says must be on the disk.
        if (proof.kind === 'none') await output.sync();
        await record.add(index);
      }
      if (proof.kind === 'parts') {
        const [digest] = await files.digests(names.partial, start, end, ['md5']);
        if (digest !== undefined) digests[index] = digest;
      }
    }
  };
  try {
    await allEnded(Array.from({ length: Math.min(RANGES_AT_ONCE, count) }, readNext));
  } catch (error) {
    next = count;
    throw error;
  }
  return digests;
}
