import { type Failure, localFile } from '../../core/failure.ts';
import { type Bytes, type EpochMs, HOUR_MS, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { parseObjectAddress, type StoredObject } from './object-address.ts';
import type { S3Client } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';

interface DescribedObject {
  readonly object: StoredObject;
  /** The service encrypted it with a key of its own, so that its ETag is not a checksum. */
  readonly encrypted: boolean;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
}

export async function describeObject(
  client: S3Client,
  address: string,
  signal: AbortSignal | undefined,
): Promise<DescribedObject | undefined> {
  const what = `look at ${address}`;
  const { status, headers } = await client.send({
    what,
    method: 'HEAD',
    ...parseObjectAddress(address),
    handled: [404],
    signal,
  });
  if (status === 404) return undefined;
  const { etag, 'content-length': length = '' } = headers;
  if (etag === undefined || !/^\d{1,15}$/.test(length)) throw unreadable(what, 'it has no ETag or no size');
  const encrypted =
    headers['x-amz-server-side-encryption'] === 'aws:kms' ||
    'x-amz-server-side-encryption-customer-algorithm' in headers;
  const modifiedAt = Date.parse(headers['last-modified'] ?? '');
  return {
    object: { address, bytes: Number(length), version: etag },
    encrypted,
    modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
  };
}

/** What an object must be; `etag` is its ETag without quotes where an ETag is a checksum. */
export interface Written {
  readonly bytes: Bytes;
  readonly etag: string;
}

/** An ETag that is a checksum: services that encrypt objects may give another kind. */
const CHECKSUM = /^"[0-9a-f]{32}(-\d+)?"$/;

/** How long an object that was written may take to appear, and the longest pause between two looks. Milliseconds. */
const MAX_WAIT_MS = HOUR_MS;
const MAX_PAUSE_MS = MINUTE_MS;

/** After this time, an object that is not there is written again; then after twice as long, and so on. */
const FIRST_AGAIN_MS: Milliseconds = 120_000;

export interface Confirmation {
  readonly written: Written;
  /** The version that was there before: while it is seen, the object is not written yet. */
  readonly replaces?: string | undefined;
  /** Repeats the last step of the writing: a service may say that it did it, and has not. */
  readonly again?: () => Promise<void>;
  /** The object, where its ETag says in another way that it has the content: some services give the MD5 of all of it. */
  readonly findSame?: (() => Promise<StoredObject | undefined>) | undefined;
  /** There was nothing to join: an earlier request may have done it, and soon shows, or the parts were removed. */
  readonly isGone?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Written objects may appear minutes late, or never (storage contract). Fails after an hour. */
export async function confirmWritten(
  client: S3Client,
  address: string,
  { written, replaces, again, findSame, isGone = false, signal }: Confirmation,
): Promise<StoredObject> {
  let waitedMs = 0;
  let againAfter = FIRST_AGAIN_MS;
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const found = await describeObject(client, address, signal);
    if (found !== undefined && isWritten(found, written)) return found.object;
    if (found !== undefined && found.object.version !== replaces) {
      const same = await findSame?.();
      if (same !== undefined) return same;
      throw notAsWritten(address);
    }
    if (waitedMs >= (isGone ? FIRST_AGAIN_MS : MAX_WAIT_MS)) throw notThere(address, isGone);
    await client.pause(pauseMs, signal);
    waitedMs += pauseMs;
    if (waitedMs < againAfter) continue;
    againAfter *= 2;
    await again?.();
  }
}

const notThere = (address: string, isGone: boolean): Failure =>
  unreadable(
    `write ${address}`,
    isGone ? 'its parts were removed before they were joined' : 'the object is not there an hour afterwards',
  );

function isWritten({ object, encrypted }: DescribedObject, { bytes, etag }: Written): boolean {
  const isSame = object.version === `"${etag}"` || encrypted || !CHECKSUM.test(object.version);
  return object.bytes === bytes && isSame;
}

/** Whether an object is there, and is what was to be written: looked at where an answer was lost. */
export async function isThere(
  client: S3Client,
  address: string,
  written: Written,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const found = await describeObject(client, address, signal);
  // An ETag that is no checksum proves nothing.
  return found?.object.version === `"${written.etag}"` && found.object.bytes === written.bytes;
}

/** Exit 14. */
const notAsWritten = (address: string): Failure =>
  localFile(
    `${address} is not what was written: another program changed it, or it was damaged on the way`,
    'Nothing else may write there. Run it again.',
  );
