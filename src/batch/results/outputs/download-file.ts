import { createHash, type Hash } from 'node:crypto';
import type { AppendFile, Clock, DownloadAnswer, Downloads, DurableFiles } from '../../../core/context.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { formatBytes } from '../../../core/units.ts';
import { fillSyncedFile } from '../../bytes/synced-files.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { Bytes } from '../../../core/unit-types.ts';

export interface FetchPorts {
  readonly durable: DurableFiles;
  readonly downloads: Downloads;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
}

export interface DownloadParts extends FetchPorts {
  readonly hosts: AllowedHosts;
  /** Of one file, at most. */
  readonly maxBytes: Bytes;
  /** What all files may have together. */
  readonly budget: ByteBudget;
}

/** Why one file was not downloaded; the others go on. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

/** Why a file was not downloaded: with it, all would be larger than --max-total. */
export const overBudget = (): NotFetched => new NotFetched('the files are larger than --max-total');

const MAX_REDIRECTS = 5;
/** Times that a download goes on after it broke off. */
const MAX_RESUMES = 4;
const RESUME_DELAY_MS = 1000;

/**
 * Downloads a file to `path`, which must not exist. Returns its bytes, its SHA-256 and its ETag. A download that breaks off
 * goes on where it was, if the server says by its ETag that the file is the same, or else begins again. Fails with NotFetched, with local-file (14), and with the
 * interrupt; then the file is removed.
 */
export const downloadFile = (parts: DownloadParts, url: URL, path: string) =>
  fillSyncedFile(parts.durable, path, (file) => fill(parts, url, file));

/** The part of a file that is there. */
interface Progress {
  bytes: Bytes;
  hashes: ReadonlyMap<string, Hash>;
  /** A strong ETag: the server must answer a range only if the file still has it. */
  etag: string | undefined;
}

const ALGORITHMS = ['sha256', 'sha512', 'md5'] as const;
const newHashes = (): ReadonlyMap<string, Hash> => new Map(ALGORITHMS.map((name) => [name, createHash(name)]));

async function fill(parts: DownloadParts, url: URL, file: AppendFile) {
  const progress: Progress = { bytes: 0, hashes: newHashes(), etag: undefined };
  for (let resumes = 0; ; resumes++) {
    const isResumable = progress.bytes > 0 && progress.etag !== undefined;
    const range = isResumable ? { range: `bytes=${progress.bytes}-`, 'if-range': progress.etag ?? '' } : {};
    let answer: DownloadAnswer | undefined;
    try {
      answer = await follow(parts, url, range);
      return await receive(parts, answer, file, progress);
    } catch (error) {
      const mayGoOn = answer !== undefined && isBroken(error) && resumes < MAX_RESUMES;
      if (!mayGoOn) {
        parts.budget.giveBack(progress.bytes);
        throw reasonOf(error);
      }
      await parts.clock.sleep(RESUME_DELAY_MS * 2 ** resumes, parts.signal);
    } finally {
      answer?.close();
    }
  }
}

const isBroken = (error: unknown): boolean => error instanceof Failure && error.exit === EXIT.unavailable;

/** A failure of one request concerns one file; an interrupt and trouble with a local file end everything. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Failure && error.request !== undefined ? new NotFetched(error.message) : error;

/** Sends the request, and again to where it is redirected, as long as the host is allowed. */
async function follow(
  { downloads, hosts }: DownloadParts,
  first: URL,
  headers: Readonly<Record<string, string>>,
): Promise<DownloadAnswer> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await downloads.get(url.href, headers);
    const { location } = answer.headers;
    if (answer.status < 300) return answer;
    answer.close();
    if (location === undefined) throw new NotFetched(`the answer is ${answer.status}`);
    const next = hosts.check(location, url.href);
    if ('refused' in next) throw new NotFetched(`it is redirected, and there ${next.refused}`);
    ({ url } = next);
  }
  throw new NotFetched(`it is redirected more than ${MAX_REDIRECTS} times`);
}

async function receive(
  { maxBytes, budget, signal }: DownloadParts,
  { status, headers, body }: DownloadAnswer,
  file: AppendFile,
  progress: Progress,
) {
  const tooLarge = (): NotFetched => new NotFetched(`it is larger than ${formatBytes(maxBytes)} (--max-size)`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new NotFetched(`it comes encoded (${encoding}), which was not asked for`);
  if (status === 206 && !continues(headers['content-range'], progress.bytes))
    throw new NotFetched('the server sent another part of it than it was asked for');
  if (status !== 206) {
    // The whole file comes, for the first time or again.
    await file.truncate(0);
    budget.giveBack(progress.bytes);
    progress.bytes = 0;
    progress.hashes = newHashes();
  }
  const etag = headers['etag'];
  progress.etag = etag?.startsWith('"') === true ? etag : undefined;
  const length = lengthOf(headers['content-length']);
  const total = length === undefined ? undefined : progress.bytes + length;
  if ((total ?? 0) > maxBytes) throw tooLarge();
  if (!budget.fits(length ?? 0)) throw overBudget();
  for await (const chunk of body) {
    if (signal.aborted) throw signal.reason;
    if (progress.bytes + chunk.byteLength > maxBytes) throw tooLarge();
    if (!budget.take(chunk.byteLength)) throw overBudget();
    progress.bytes += chunk.byteLength;
    await file.append(chunk);
    for (const hash of progress.hashes.values()) hash.update(chunk);
  }
  if (total !== undefined && progress.bytes !== total)
    throw new NotFetched(`it has ${progress.bytes} bytes, and the server said ${total}`);
  const digests = new Map([...progress.hashes].map(([name, hash]) => [name, hash.digest()]));
  const wrong = mismatch(expectedDigests(headers, status === 206), digests);
  if (wrong !== undefined) throw new NotFetched(`its content does not have the ${wrong} that the server said`);
  return { bytes: progress.bytes, sha256: digests.get('sha256')?.toString('hex') ?? '', etag };
}

const lengthOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

const continues = (range: string | undefined, from: number): boolean =>
  Number(/^bytes (\d{1,15})-/.exec(range ?? '')?.[1]) === from;

/** What all downloads of a run may have together. */
export function createByteBudget(maxBytes: Bytes) {
  let left = maxBytes;
  let isOpen = true;
  const fits = (bytes: Bytes): boolean => {
    if (bytes > left) isOpen = false;
    return bytes <= left;
  };
  return {
    /** False once a file did not fit: then no other download starts. */
    get isOpen(): boolean {
      return isOpen;
    },
    /** Takes bytes that are about to be written. Returns false, and closes the budget, when they do not fit. */
    take: (bytes: Bytes): boolean => {
      if (!fits(bytes)) return false;
      left -= bytes;
      return true;
    },
    /** Closes the budget when this many bytes would not fit. Returns whether they fit. */
    fits,
    /** Gives back the bytes of a file that was removed. */
    giveBack: (bytes: Bytes): void => {
      left += bytes;
    },
  };
}

type ByteBudget = ReturnType<typeof createByteBudget>;

/** The digest of a file that a server stated, by the name of the algorithm. */
type StatedDigests = ReadonlyMap<string, Buffer>;

const NAMES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512', md5: 'md5' };

/**
 * Reads the digests of a whole file from the headers of an answer: Repr-Digest (RFC 9530), Digest (RFC 3230), Content-MD5,
 * and those of object stores. Content-Digest and Content-MD5 are about the body of the answer: not about the file when it
 * is a part of it. An ETag is no digest: servers make it in many ways.
 */
function expectedDigests(headers: Readonly<Record<string, string>>, isPart: boolean): StatedDigests {
  const stated = new Map<string, Buffer>();
  const add = (name: string | undefined, base64: string | undefined): void => {
    const known = NAMES[name?.toLowerCase() ?? ''];
    if (known !== undefined && base64 !== undefined) stated.set(known, Buffer.from(base64, 'base64'));
  };
  const structured = [headers['repr-digest'], isPart ? undefined : headers['content-digest']];
  for (const text of structured)
    for (const [, name, base64] of (text ?? '').matchAll(/([\w-]+)=:([A-Za-z0-9+/=]+):/g)) add(name, base64);
  for (const [, name, base64] of (headers['digest'] ?? '').matchAll(/([\w-]+)=([A-Za-z0-9+/=]+)/g)) add(name, base64);
  if (!isPart) add('md5', headers['content-md5']);
  // The checksum of a file that was uploaded in parts is one of their checksums, and ends with their number.
  if (!/-\d+$/.test(headers['x-amz-checksum-sha256'] ?? '')) add('sha-256', headers['x-amz-checksum-sha256']);
  add('md5', /\bmd5=([A-Za-z0-9+/=]+)/.exec(headers['x-goog-hash'] ?? '')?.[1]);
  return stated;
}

/** Returns the name of a digest that differs; undefined when none does. */
function mismatch(stated: StatedDigests, found: ReadonlyMap<string, Buffer>): string | undefined {
  for (const [name, digest] of stated) if (found.get(name)?.equals(digest) !== true) return name.toUpperCase();
  return undefined;
}
