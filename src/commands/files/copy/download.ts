import { createHash } from 'node:crypto';
import type { RangeFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import { contentOf } from './upload.ts';

/** The permissions of a new file, before the process's mask. */
const FILE_MODE = 0o666;

/** An ETag that is the MD5 of the content: that of a file that was not written in parts. */
const MD5 = /^"([0-9a-f]{32})"$/;

/**
 * Reads a file of a volume into a file of this machine, unless that has the same content. It goes to a temporary name beside the target, which an interrupted
 * download leaves there: the next one of the same version goes on at its end. At the end its size, its MD5 where the ETag is
 * one, and the version on the volume must be right; then it replaces the target. `onBytes` is called with what is there.
 * Returns whether it was the same.
 */
export async function download(
  durable: RangeFiles,
  volume: VolumeFiles,
  file: VolumeFile,
  target: string,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const there = await durable.size(target);
  if (there !== undefined && (await volume.isSame(file, { bytes: there, ...contentOf(durable, target) }))) return true;
  const partial = partialName(target, file);
  const begun = await durable.size(partial);
  if (begun !== undefined && begun > file.bytes) await durable.remove(partial);
  const start = begun === undefined || begun > file.bytes ? 0 : begun;
  const output = start === 0 && begun !== 0 ? await durable.create(partial, FILE_MODE) : await durable.open(partial);
  try {
    onBytes(start);
    for await (const chunk of volume.read(file, start)) {
      await output.append(chunk);
      onBytes(chunk.byteLength);
    }
    await output.sync();
  } finally {
    await output.close();
  }
  await checkContent(durable, partial, file);
  // A service that ignores the condition of a read may have changed the file meanwhile.
  if ((await volume.find(file.key))?.version !== file.version) {
    await durable.remove(partial);
    throw localFile(`${file.key} was changed on the volume while it was read`, 'Run it again.');
  }
  await durable.replace(partial, target);
  return false;
}

/** The temporary name: another version of the file has another one. */
function partialName(target: string, { key, version }: VolumeFile): string {
  const slash = Math.max(target.lastIndexOf('/'), target.lastIndexOf('\\')) + 1;
  const mark = createHash('sha256').update(`${key}\n${version}`).digest('hex').slice(0, 12);
  // Short, so that a long name of the target leaves room for it.
  return `${target.slice(0, slash)}.berth-${mark}.partial`;
}

/** Reads what was written from the disk: a part of it may be of an earlier run. */
async function checkContent(durable: RangeFiles, path: string, { key, bytes, version }: VolumeFile): Promise<void> {
  const expected = MD5.exec(version)?.[1];
  const hash = createHash('md5');
  let size = 0;
  for await (const chunk of durable.read(path, 0)) {
    size += chunk.byteLength;
    if (expected !== undefined) hash.update(chunk);
  }
  if (size === bytes && (expected === undefined || hash.digest('hex') === expected)) return;
  await durable.remove(path);
  throw localFile(`what was read of ${key} is not what the volume has`, 'It was removed. Run it again.');
}
