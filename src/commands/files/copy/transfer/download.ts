import { createHash } from 'node:crypto';
import { allEnded } from '../../../../core/control/all-ended.ts';
import type { RangeFiles, RangeWriter } from '../../../../core/context.ts';
import { localFile } from '../../../../core/failure.ts';
import { formatBytes } from '../../../../core/units.ts';
import type { ContentProof, VolumeFile, VolumeFiles } from '../../../../core/ports/volume-files.ts';
import type { WasThere } from './was-there.ts';
import { openDownloadRecord, type DownloadRecord } from './download-record.ts';
import { contentOf } from './upload.ts';
import type { Bytes } from '../../../../core/unit-types.ts';

/** The permissions of a new file, before the process's mask. */
const FILE_MODE = 0o666;
/** Those of a file that replaces an executable one: a volume says nothing about it. */
const EXECUTABLE_MODE = 0o777;

/** The size of a range, where the parts of the file do not say another one. */
const RANGE_BYTES: Bytes = 16 * 1024 * 1024;

/** How many ranges of a file are read at the same time. */
const RANGES_AT_ONCE = 8;

/** Up to this size, the digest of a file is computed as it arrives: another thread would take longer. */
const SMALL_BYTES: Bytes = 262_144;

/**
 * Reads a file of a volume into a file of this machine, unless that has the same content. It goes to a temporary name beside the
 * target, in ranges, several at once. A killed download leaves there what it has, with a record of the ranges that are whole:
 * the next one of the same version reads the others. At the end the digests of what is on the disk are compared with the ETag, where
 * that is one of digests; then it gets the time of the file on the volume and replaces the target. Where they differ, all of it
 * is read once more. `onBytes` is called with what is there. Returns what was at the target.
 */
export async function download(
  files: RangeFiles,
  volume: VolumeFiles,
  file: VolumeFile,
  target: string,
  onBytes: (bytes: Bytes) => void,
): Promise<WasThere> {
  // Only a file is replaced: not what another program reads, and no device.
  const { kind } = await files.resolve(target);
  if (kind === 'other') throw localFile(`${target} is not a regular file`, 'Name another place, or move it away.');
  const there = kind === 'nothing' ? undefined : await files.size(target);
  const names = temporaryNames(target, file);
  const proof = volume.proofOf(file);
  const isSmall = file.bytes <= SMALL_BYTES && proof.kind !== 'parts';
  if (there !== undefined && (await volume.isSame(file, { bytes: there, ...contentOf(files, target) }))) {
    // A download that was killed at its end may have left it.
    if (!isSmall) await files.remove(names.record);
    // Only who owns a file may set its time.
    if (file.modifiedAt !== undefined) await files.setTime(target, file.modifiedAt).catch(() => undefined);
    return 'same';
  }
  if (!isSmall) await prepareRanges(files, names, target, file);
  const isExecutable = there !== undefined && (await files.lookAt(target))?.executable === true;
  const output = await files.openRanges(names.partial, isExecutable ? EXECUTABLE_MODE : FILE_MODE);
  try {
    if (isSmall) await readSmall(volume, file, output, proof, onBytes);
    else await readRanges(files, volume, file, { output, names, proof, onBytes });
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

/** The temporary names: another version of the file has others. */
function temporaryNames(target: string, { key, version }: VolumeFile): Names {
  const slash = Math.max(target.lastIndexOf('/'), target.lastIndexOf('\\')) + 1;
  const mark = createHash('sha256').update(`${key}\n${version}`).digest('hex').slice(0, 12);
  // Short, so that a long name of the target leaves room for it.
  const base = `${target.slice(0, slash)}.berth-${mark}`;
  return { partial: `${base}.partial`, record: `${base}.ranges` };
}

/**
 * Removes a record without the file that it is about: it says nothing. Fails with local-file (14) where the disk has no space for
 * what is missing.
 */
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
  file: VolumeFile,
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
    // The size of the parts is a guess where another program wrote the file: then two equal readings are the proof.
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

/** Reads the ranges that are not there. Returns the digests of all, as they are on the disk, where the proof is of parts. */
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
        // Nothing will prove it later: what the record says must be on the disk.
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
