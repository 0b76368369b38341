import { createHash } from 'node:crypto';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { type Copy, type CopyEvents, type End, upload, type WasThere } from './copy.ts';
import { download } from './download.ts';
import { addressText } from './file-address.ts';
import type { RangeFiles } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { FileSource, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import { formatBytes } from '../../core/units.ts';

export const VERIFY = option.on('read what was copied back, and compare it byte by byte with its source');

/** Compares SHA-256 by reading both ends again. Local-file (14) where they differ. */
async function verifyCopy(files: RangeFiles, { from, to }: Copy): Promise<void> {
  const { bytes } = from.file;
  const sent = await digestOf(files, from, bytes, (size) => size >= bytes);
  const written = await digestOf(files, to, bytes, (size) => size === bytes);
  if (sent !== undefined && sent === written) return;
  throw new Failure({
    code: 'not-the-same',
    exit: EXIT.localFile,
    message: `${shown(to)} is not the same as ${shown(from)}: it was read back and compared`,
    hint: 'It changed on the way, or something else wrote to one of them meanwhile. Copy it again.',
  });
}

/** SHA-256 of the first bytes in hexadecimal; undefined for another size. */
async function digestOf(
  files: RangeFiles,
  end: End,
  bytes: number,
  fits: (size: number) => boolean,
): Promise<string | undefined> {
  if (end.kind === 'local') {
    if (!fits((await files.size(end.path)) ?? -1)) return undefined;
    const [digest] = await files.digests(end.path, 0, bytes, ['sha256']);
    return digest?.toString('hex');
  }
  const found = await end.volume.find(end.key);
  if (found === undefined || !fits(found.bytes)) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of end.volume.read({ ...found, version: undefined }, 0, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });

/** By the service if it can prove the copy, else through this machine. Skips equal content. */
async function copyBetweenVolumes(
  from: { readonly volume: VolumeFiles; readonly file: VolumeFile },
  to: { readonly volume: VolumeFiles; readonly key: string },
  onBytes: (bytes: number) => void,
): Promise<WasThere> {
  const { volume, file } = from;
  const there = await to.volume.find(to.key);
  if (there?.bytes === file.bytes && there.version === file.version) return 'same';
  const before = there === undefined ? 'nothing' : 'other';
  // The ETag of a multipart file changes with a copy: it would prove nothing.
  if (volume.id === to.volume.id && volume.proofOf(file).kind === 'whole') {
    await volume.copy(file, to.key, there?.version);
    onBytes(file.bytes);
    return before;
  }
  const source: FileSource = {
    bytes: file.bytes,
    replaces: there?.version,
    read: (start, end) => volume.read(file, start, end),
    check: async () => {
      if ((await volume.find(file.key))?.version !== file.version)
        throw localFile(`${file.key} was changed on the volume while it was read`, 'Run it again.');
    },
  };
  await to.volume.write(to.key, source, onBytes);
  return before;
}

export interface Transferred {
  readonly copy: Copy;
  /** Undefined if the copy failed or it is unknown. */
  readonly wasThere?: WasThere;
  readonly failure: Failure | undefined;
}

/** Files; the volumes limit the requests of all of them together. */
const LIMITS = { atOnce: 16, ahead: 10_000 };

/** In given order. If planning fails, copies planned before still run. `verify` reads copies back. */
export async function* transferFiles(
  ctx: CommandContext,
  copies: AsyncIterable<Copy>,
  onBytes: (copy: Copy, bytes: number) => void,
  verify = false,
): AsyncGenerator<Transferred> {
  const files = await ctx.durable();
  const transfer = async (planned: Copy): Promise<Transferred> => {
    const copy = planned.refused === undefined ? await asOfNow(files, planned) : planned;
    if (copy.refused !== undefined) return { copy, failure: copy.refused };
    try {
      const wasThere = await copyFile(files, copy, {
        onBytes: (bytes) => {
          onBytes(copy, bytes);
        },
        onGrown: () =>
          ctx.tell(
            `${shown(copy.from)} grew while it was copied: its first ${formatBytes(copy.from.file.bytes)} were.`,
          ),
      });
      if (verify) await verifyCopy(files, copy);
      return { copy, wasThere, failure: undefined };
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return { copy, failure: error };
    }
  };
  yield* severalAtOnce(copies, transfer, LIMITS);
}

/** A local file may have been written since it was listed. */
async function asOfNow(files: RangeFiles, copy: Copy): Promise<Copy> {
  const { from } = copy;
  const now = from.kind === 'local' ? await files.describe(from.path).catch(() => undefined) : undefined;
  return from.kind === 'volume' || now === undefined
    ? copy
    : { ...copy, from: { ...from, file: { ...from.file, ...now } } };
}

async function copyFile(files: RangeFiles, { from, to, isNew }: Copy, events: CopyEvents): Promise<WasThere> {
  if (to.kind === 'local') {
    if (from.kind === 'local') throw usage('a local file is copied to a local file by other programs');
    const slash = Math.max(to.path.lastIndexOf('/'), to.path.lastIndexOf('\\'));
    if (slash > 0) await files.makeFolder(to.path.slice(0, slash));
    return await download(files, from.volume, from.file, to.path, events);
  }
  return from.kind === 'local'
    ? await upload(files, to.volume, from.file, { key: to.key, isNew }, events)
    : await copyBetweenVolumes(from, to, events.onBytes);
}
