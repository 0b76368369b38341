import { type Failure, localFile, rethrowUnlessFailure } from '../core/failure.ts';
import type { FileSource, VolumeFile, WrittenFile } from '../core/file-ports.ts';
import { collectBytes } from '../core/files.ts';
import { compareBytes } from '../core/text.ts';
import { type Bytes, HOUR_MS, type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';
import type { S3Client, SentBody } from './client.ts';
import { unreadable } from './failures.ts';
import {
  beginUpload,
  checkedBody,
  CHECKSUM,
  joinedEtag,
  partSize,
  resumeUpload,
  sendParts,
  type SentPart,
  type Upload,
} from './parts.ts';
import { findFile, listPages } from './read.ts';
import { pathOf } from './sign.ts';

/** Larger files go in parts. */
const MAX_WHOLE: Bytes = 64 * 1024 * 1024;

/** Up to this size a file is read once, and held in memory while it is sent. */
const MAX_HELD: Bytes = 256 * 1024;

/** Goes on with the parts of an interrupted upload. The service says that it has the file: `confirmFiles` looks. */
export async function writeFile(
  client: S3Client,
  key: string,
  source: FileSource,
  onBytes: (bytes: Bytes) => void,
): Promise<WrittenFile> {
  const { bytes, replaces } = source;
  if (bytes <= MAX_WHOLE) {
    const held = bytes <= MAX_HELD ? await collectBytes(source.read(0, bytes), bytes) : undefined;
    const written = await writeWhole(client, key, held ?? { byteLength: bytes, chunks: () => source.read(0, bytes) });
    onBytes(bytes);
    return { ...written, replaces };
  }
  const known = await resumeUpload(client, key);
  const upload = known?.upload ?? (await beginUpload(client, key));
  const parts = await sendParts(upload, known?.parts ?? new Map(), source, onBytes);
  return { ...(await joinParts(client, key, upload, parts)), replaces };
}

/** After a failure its parts are removed: the stream cannot be read again. */
export async function writeStream(
  client: S3Client,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<WrittenFile> {
  const blocks = blocksOf(chunks, partSize(0));
  const first = (await blocks.next()).value as Uint8Array | undefined;
  const second = (await blocks.next()).value as Uint8Array | undefined;
  if (first === undefined || second === undefined) return await writeWhole(client, key, first ?? new Uint8Array(0));
  const upload = await beginUpload(client, key);
  try {
    const parts = [await upload.send(1, first), await upload.send(2, second)];
    for await (const block of blocks) parts.push(await upload.send(parts.length + 1, block));
    return await joinParts(client, key, upload, parts);
  } catch (error) {
    await upload.remove();
    throw error;
  }
}

async function writeWhole(client: S3Client, key: string, body: SentBody): Promise<WrittenFile> {
  const { request, md5: digest } = checkedBody(body);
  const etag = (): string => `"${digest().toString('hex')}"`;
  const isDone = () => isThere(client, key, body.byteLength, etag());
  const put = () => client.send({ what: `write ${client.address(key)}`, method: 'PUT', key, ...request, isDone });
  const { etag: answered = etag() } = (await put()).headers;
  return { ...fileOf(key, body.byteLength, CHECKSUM.test(answered) ? etag() : answered), again: put };
}

async function joinParts(
  client: S3Client,
  key: string,
  upload: Upload,
  parts: readonly SentPart[],
): Promise<WrittenFile> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const version = joinedEtag(parts);
  // Before the join: a copy that is killed behind it finds the file done, and looks for nothing more.
  await upload.removeOthers();
  const join = () => upload.join(parts, () => isThere(client, key, bytes, version));
  // An upload that is gone: an earlier request may have joined it.
  if (!(await join()) && !(await isThere(client, key, bytes, version)))
    throw unreadable(`write ${client.address(key)}`, 'its parts were removed before they were joined');
  return { ...fileOf(key, bytes, version), again: join };
}

/** The service copies it, and may answer 200 and report a failure in the body. */
export async function copyFile(client: S3Client, from: VolumeFile, key: string): Promise<WrittenFile> {
  const what = `copy ${client.address(from.key)} to ${client.address(key)}`;
  const headers = { 'x-amz-copy-source': pathOf(client.bucket, from.key) };
  const copy = () => client.send({ what, method: 'PUT', key, headers, roots: ['CopyObjectResult'] });
  await copy();
  return { ...fileOf(key, from.bytes, from.version), again: copy };
}

const fileOf = (key: string, bytes: Bytes, version: string) => ({ key, bytes, version, modifiedAt: undefined });

/** Whether a request whose answer was lost was carried out. */
async function isThere(client: S3Client, key: string, bytes: Bytes, version: string): Promise<boolean> {
  const found = await findFile(client, key);
  return found?.version === version && found.bytes === bytes;
}

/** So many files are looked at one by one; of more, a listing is read first, of a page for so many. */
const FEW = 20;

/** Why files that were written are not there as they were sent, by key. */
export async function confirmFiles(
  client: S3Client,
  files: readonly WrittenFile[],
): Promise<ReadonlyMap<string, Failure>> {
  const left = new Map(files.map((file) => [file.key, file]));
  // It may fail, or go round in circles: then each file is looked at.
  if (left.size > FEW)
    await confirmByListing(client, left).catch((error: unknown) => {
      if (client.signal.aborted) throw error;
    });
  const failures = new Map<string, Failure>();
  const confirm = (file: WrittenFile): Promise<unknown> =>
    awaitFile(client, file).catch((error: unknown) => {
      rethrowUnlessFailure(error, client);
      failures.set(file.key, error);
    });
  await Promise.all([...left.values()].map(confirm));
  return failures;
}

async function confirmByListing(client: S3Client, left: Map<string, WrittenFile>): Promise<void> {
  const keys = [...left.keys()].sort(compareBytes);
  const [first = '', last = ''] = [keys[0], keys.at(-1)];
  let common = 0;
  while (common < first.length && first[common] === last[common]) common += 1;
  const prefix = first.slice(0, first.lastIndexOf('/', common - 1) + 1);
  let pages = Math.ceil(left.size / FEW);
  // A key just before the first one.
  const after = first.replace(/.$/su, '');
  for await (const entries of listPages(client, { prefix, ...(after > prefix ? { after } : {}) })) {
    for (const entry of entries ?? []) {
      const written = left.get(entry.key);
      if (entry.kind === 'file' && written !== undefined && isWritten(entry.file, written)) left.delete(entry.key);
    }
    pages -= 1;
    // Undefined: it goes round in circles.
    if (entries === undefined || left.size === 0 || pages === 0) return;
  }
}

/** Where an ETag is no checksum, the size has to do; some services give the MD5 of all of a file that came in parts. */
function isWritten(found: VolumeFile, { bytes, version }: VolumeFile): boolean {
  const isOtherForm = !CHECKSUM.test(found.version) || (version.includes('-') && !found.version.includes('-'));
  return found.bytes === bytes && (found.version === version || isOtherForm);
}

/** How long a file may take to appear, and the longest pause between two looks. */
const [MAX_WAIT_MS, MAX_PAUSE_MS] = [HOUR_MS, MINUTE_MS];

/** After this time, a file that is not there is written again; then after twice as long, and so on. */
const FIRST_AGAIN_MS: Milliseconds = 120_000;

/** Files may appear minutes late, or never (storage contract). Fails after an hour. */
async function awaitFile(client: S3Client, written: WrittenFile): Promise<void> {
  const address = client.address(written.key);
  let waitedMs = 0;
  let againAfter = FIRST_AGAIN_MS;
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const found = await findFile(client, written.key);
    if (found !== undefined && isWritten(found, written)) return;
    if (found !== undefined && found.version !== written.replaces)
      throw localFile(
        `${address} is not what was written: another program changed it, or it was corrupted on the way`,
        'Nothing else may write there. Run it again.',
      );
    if (waitedMs >= MAX_WAIT_MS) throw unreadable(`write ${address}`, 'the object is not there an hour afterwards');
    await client.sleep(pauseMs);
    waitedMs += pauseMs;
    if (waitedMs < againAfter) continue;
    againAfter *= 2;
    await written.again();
  }
}

/** Yields the same bytes in blocks of exactly this size; the last one may be shorter, and none is empty. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>, size: Bytes): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let missing = size;
  for await (let chunk of chunks) {
    while (chunk.byteLength >= missing) {
      yield Buffer.concat([...held, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      [held, missing] = [[], size];
    }
    if (chunk.byteLength === 0) continue;
    held.push(chunk);
    missing -= chunk.byteLength;
  }
  if (held.length > 0) yield Buffer.concat(held);
}
