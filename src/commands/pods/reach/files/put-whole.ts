import { createHash } from 'node:crypto';
import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { ReachablePod } from '../reach-pod.ts';
import type { PodDigests } from './digests.ts';
import type { Look } from './pod-entry.ts';
import { CHUNK_BYTES, REQUESTS_AT_ONCE, withOpen } from './read-range.ts';
import { podPath, type SftpSession } from './sftp-session.ts';
import type { Bytes, EpochMs } from '../../../../core/unit-types.ts';

/** What is put into a file of a pod. */
export interface PutSource {
  readonly bytes: Bytes;
  /** Another content has another version; it names what an interrupted copy has left. */
  readonly version: string;
  /** Permission bits. */
  readonly mode?: number | undefined;
  readonly modifiedAt?: EpochMs | undefined;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** The SHA-256 of the whole in hexadecimal; undefined where nobody can say. */
  digest(): Promise<string | undefined>;
  /** Fails when the source is not what it was. Called before the file gets its name. */
  check?(): Promise<void>;
}

/** What became of a file that was put. */
export interface WasPut {
  /** It was there already, with the same content: nothing was sent. */
  readonly isSame: boolean;
  /** It took the place of another content. */
  readonly isReplaced?: boolean;
  /** Both ends have computed the same SHA-256. Where one cannot, the size was compared. */
  readonly isVerified: boolean;
}

interface Ends {
  readonly session: SftpSession;
  readonly pod: ReachablePod;
  readonly look: Look;
  readonly digests: PodDigests;
}

/**
 * Puts a file in place whole. Its bytes go to a temporary name beside it, which is flushed, compared by size and by the SHA-256 that
 * the pod computes, and then renamed: until then what was there stays. What an interrupted one has left is gone on with where the
 * pod can compute digests; where they differ at the end, all is sent once more. `onBytes` is called with the number of bytes that
 * arrived. Fails with refused (5) where something other than a file is in the way, or what arrived is not what was sent.
 */
export async function putWhole(
  { session, pod, look, digests }: Ends,
  path: string,
  source: PutSource,
  onBytes: (bytes: Bytes) => void,
): Promise<WasPut> {
  const there = await look(path, true);
  if (there !== undefined && there.kind !== 'file')
    throw new Failure({
      code: 'pod-file',
      exit: EXIT.refused,
      message: `${podPath(pod, path)} is no regular file, so it is left as it is`,
      hint: 'Name another place, or move it away.',
    });
  const digest = (await digests.isKnown()) ? await source.digest() : undefined;
  const isKnown = digest !== undefined;
  if (isKnown && there?.bytes === source.bytes && (await digests.of(path)) === digest)
    return { isSame: true, isVerified: true };
  const partial = temporaryName(path, source);
  for (let attempt = 1; ; attempt += 1) {
    const found = source.bytes > CHUNK_BYTES ? await look(partial) : undefined;
    const isUsable = attempt === 1 && isKnown && found?.kind === 'file' && found.bytes <= source.bytes;
    const from = isUsable ? found.bytes : 0;
    onBytes(from);
    try {
      await withOpen(session, partial, from > 0 ? 'r+' : 'w', async (handle) => {
        await writeAll(session, partial, handle, source, from, onBytes);
        await finish(session, partial, handle, source);
      });
      const isWhole = (await look(partial))?.bytes === source.bytes;
      if (isWhole && (!isKnown || (await digests.of(partial)) === digest)) break;
      if (from === 0 || attempt > 1) throw notTheSame(pod, path);
      onBytes(-source.bytes);
    } catch (error) {
      await removeUnlessLost(session, partial, error);
      throw error;
    }
  }
  await source.check?.().catch(async (error: unknown) => {
    await removeUnlessLost(session, partial, error);
    throw error;
  });
  await rename(session, partial, path, there !== undefined);
  return { isSame: false, ...(there === undefined ? {} : { isReplaced: true }), isVerified: isKnown };
}

/** Beside the file, so that it can be renamed; short, so that a long name leaves room for it. */
function temporaryName(path: string, { bytes, version }: PutSource): string {
  const mark = createHash('sha256')
    .update(`${path}\n${String(bytes)}\n${version}`)
    .digest('hex')
    .slice(0, 12);
  return `${path.slice(0, path.lastIndexOf('/') + 1)}.berth-${mark}.partial`;
}

/** Sends what is missing, with several requests on their way. */
async function writeAll(
  session: SftpSession,
  path: string,
  handle: Buffer,
  source: PutSource,
  from: number,
  onBytes: (bytes: Bytes) => void,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  const send = (bytes: Buffer, at: number): void => {
    const work: Promise<void> = session
      .act(path, (client, done) => {
        client.write(handle, bytes, 0, bytes.byteLength, at, done);
      })
      .then(
        () => {
          onBytes(bytes.byteLength);
        },
        (error: unknown) => {
          failed ??= { error };
        },
      )
      .finally(() => running.delete(work));
    running.add(work);
  };
  let at = from;
  try {
    for await (const piece of source.read(from, source.bytes)) {
      for (let start = 0; start < piece.byteLength; start += CHUNK_BYTES) {
        if (failed !== undefined) throw failed.error;
        if (running.size >= REQUESTS_AT_ONCE) await Promise.race(running);
        const bytes = piece.subarray(start, start + CHUNK_BYTES);
        send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
        at += bytes.byteLength;
      }
    }
  } finally {
    await Promise.all(running);
  }
  if (failed !== undefined) throw failed.error;
}

/** Cuts what an earlier copy may have left, sets permissions and time, and flushes to the disk where the pod can. */
async function finish(session: SftpSession, path: string, handle: Buffer, source: PutSource): Promise<void> {
  const { mode, modifiedAt } = source;
  const seconds = modifiedAt === undefined ? undefined : Math.floor(modifiedAt / 1000);
  const attributes = {
    ...(mode === undefined ? {} : { mode }),
    ...(seconds === undefined ? {} : { atime: seconds, mtime: seconds }),
  };
  if (Object.keys(attributes).length > 0)
    await session.act(path, (client, done) => {
      client.fsetstat(handle, attributes, done);
    });
  if (session.has.flush)
    await session.act(path, (client, done) => {
      client.ext_openssh_fsync(handle, done);
    });
}

/** In one step where the pod can; a server that cannot may refuse to replace a file, which is then removed first. */
async function rename(session: SftpSession, from: string, to: string, replaces: boolean): Promise<void> {
  if (session.has.replace) {
    await session.act(to, (client, done) => {
      client.ext_openssh_rename(from, to, done);
    });
    return;
  }
  const move = (): Promise<void> =>
    session.act(to, (client, done) => {
      client.rename(from, to, done);
    });
  await move().catch(async (error: unknown) => {
    if (!replaces || !(error instanceof Failure) || error.exit === EXIT.unavailable) throw error;
    await session.act(to, (client, done) => {
      client.unlink(to, done);
    });
    await move();
  });
}

/** A broken connection leaves what arrived, which another copy goes on with. */
async function removeUnlessLost(session: SftpSession, path: string, error: unknown): Promise<void> {
  if (error instanceof Failure && error.exit === EXIT.unavailable) return;
  await session
    .act(path, (client, done) => {
      client.unlink(path, done);
    })
    .catch(() => undefined);
}

const notTheSame = (pod: ReachablePod, path: string): Failure =>
  new Failure({
    code: 'not-the-same',
    exit: EXIT.refused,
    message: `what arrived for ${podPath(pod, path)} is not what was sent: it was removed, and what was there before stays`,
    hint: 'Run it again.',
  });
