import { createHash } from 'node:crypto';
import type { RangeFiles } from '../../../../core/context.ts';
import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import { option } from '../../../../cli/model/params.ts';
import { addressText } from '../../places/file-address.ts';
import type { Copy, End } from '../copy.ts';

/** The option of commands that copy. */
export const VERIFY = option.on('read what was copied back, and compare it byte by byte with its source');

/**
 * Reads both ends of a copy to the end and compares their SHA-256: what is on the volume is read from it again. Fails with
 * local-file (14) where they differ, and as the reads do.
 */
export async function verifyCopy(files: RangeFiles, { from, to }: Copy): Promise<void> {
  const [sent, written] = [await digestOf(files, from, from.file.bytes), await digestOf(files, to, from.file.bytes)];
  if (sent !== undefined && sent === written) return;
  throw new Failure({
    code: 'not-the-same',
    exit: EXIT.localFile,
    message: `${shown(to)} is not the same as ${shown(from)}: it was read back and compared`,
    hint: 'It changed on the way, or something else wrote to one of them meanwhile. Copy it again.',
  });
}

/** The SHA-256 of an end, in hexadecimal; undefined where it is not of this size. */
async function digestOf(files: RangeFiles, end: End, bytes: number): Promise<string | undefined> {
  if (end.kind === 'local') {
    if ((await files.size(end.path)) !== bytes) return undefined;
    const [digest] = await files.digests(end.path, 0, bytes, ['sha256']);
    return digest?.toString('hex');
  }
  const found = await end.volume.find(end.key);
  if (found?.bytes !== bytes) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of end.volume.read(found)) hash.update(chunk);
  return hash.digest('hex');
}

const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });
