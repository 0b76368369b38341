import { createHash } from 'node:crypto';
import type { RangeFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import { formatBytes } from '../../../core/units.ts';
import type { PodEntry } from '../reach/files/pod-entry.ts';
import type { PodFiles } from '../reach/files/pod-files.ts';
import type { WasPut } from '../reach/files/put-whole.ts';

/** The permissions of a new file, before the process's mask. */
const [FILE_MODE, EXECUTABLE_MODE] = [0o666, 0o777];

/**
 * Reads a file of a pod into a file of this machine, unless that has the same content. It goes to a temporary name beside the
 * target; the size and the SHA-256 of both ends are compared, and then it replaces the target and has the time of the pod's file.
 * What an interrupted one has left is gone on with where the pod can compute digests; where they differ at the end, all is read once
 * more. `onBytes` is called with the number of bytes that are there. Fails with local-file (14) where what arrived is something else.
 */
export async function fetchWhole(
  pod: PodFiles,
  path: string,
  files: RangeFiles,
  target: string,
  onBytes: (bytes: number) => void,
): Promise<WasPut> {
  if ((await files.resolve(target)).kind === 'other')
    throw localFile(`${target} is not a regular file`, 'Name another place, or move it away.');
  const entry = await pod.look(path, true);
  if (entry?.kind !== 'file') throw changed(pod, path);
  const digest = await pod.digest(path);
  const before = await files.size(target);
  if (before === entry.bytes && digest !== undefined) {
    if ((await digestOf(files, target, entry.bytes)) === digest) return { isSame: true, isVerified: true };
  }
  const partial = partialName(target, pod, path, entry);
  await checkSpace(files, partial, target, entry.bytes);
  for (let attempt = 1; ; attempt += 1) {
    const there = attempt === 1 && digest !== undefined ? ((await files.size(partial)) ?? 0) : 0;
    const from = there <= entry.bytes ? there : 0;
    onBytes(from);
    await readRest(pod, path, entry, files, partial, from, onBytes);
    const now = await pod.look(path, true);
    if (now?.bytes !== entry.bytes || now.modifiedAt !== entry.modifiedAt) {
      await files.remove(partial);
      throw changed(pod, path);
    }
    if (digest === undefined || (await digestOf(files, partial, entry.bytes)) === digest) break;
    await files.remove(partial);
    if (from === 0) throw changed(pod, path);
    onBytes(-entry.bytes);
  }
  await files.replace(partial, target);
  return { isSame: false, isReplaced: before !== undefined, isVerified: digest !== undefined };
}

async function readRest(
  pod: PodFiles,
  path: string,
  entry: PodEntry,
  files: RangeFiles,
  partial: string,
  from: number,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const output = await files.openRanges(partial, (entry.mode & 0o111) === 0 ? FILE_MODE : EXECUTABLE_MODE);
  let at = from;
  try {
    for await (const chunk of pod.read(path, from, entry.bytes)) {
      await output.write(chunk, at);
      at += chunk.byteLength;
      onBytes(chunk.byteLength);
    }
    await output.finish(entry.bytes, entry.modifiedAt);
  } finally {
    await output.close();
  }
}

/** The SHA-256 of a file of this machine in hexadecimal. */
export const digestOf = async (files: RangeFiles, path: string, bytes: number): Promise<string | undefined> =>
  (await files.digests(path, 0, bytes, ['sha256']))[0]?.toString('hex');

/** Beside the target; another version of the file has another name. */
function partialName(target: string, { pod }: PodFiles, path: string, { bytes, modifiedAt }: PodEntry): string {
  const slash = Math.max(target.lastIndexOf('/'), target.lastIndexOf('\\')) + 1;
  const version = [pod.id, path, String(bytes), String(modifiedAt), target.slice(slash)].join('\n');
  const mark = createHash('sha256').update(version).digest('hex').slice(0, 12);
  return `${target.slice(0, slash)}.berth-${mark}.partial`;
}

async function checkSpace(files: RangeFiles, partial: string, target: string, bytes: number): Promise<void> {
  const free = await files.freeBytes(target);
  const missing = bytes - ((await files.size(partial)) ?? 0);
  if (free !== undefined && missing > free)
    throw localFile(
      `${target} does not fit on the disk: it needs ${formatBytes(missing)}, and ${formatBytes(free)} are free`,
      'Make space, or choose another folder; then run it again.',
    );
}

const changed = ({ pod }: PodFiles, path: string) =>
  localFile(`${pod.name}:${path} changed while it was read`, 'Copy it when nothing writes to it.');
