import type { StoredObject } from '../../../core/context.ts';
import { notAsWritten } from '../../objects/stored-object-failures.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { describeObject } from './describe-object.ts';

/** What an object must be; `etag` is its ETag without quotes where an ETag is a checksum. */
export interface Written {
  readonly bytes: number;
  readonly etag: string;
}

/** An ETag that is a checksum: services that encrypt objects may give another kind. */
const CHECKSUM = /^"[0-9a-f]{32}(-\d+)?"$/;

/** How long an object that was written may take to appear, and the longest pause between two looks. Milliseconds. */
const MAX_WAIT_MS = 3_600_000;
const MAX_PAUSE_MS = 60_000;

/**
 * Looks for an object that was written, until it is there: a service may say that it wrote a large one before that is so,
 * and may be late by minutes (storage contract). Fails when it is not what was written, or not there after an hour.
 */
export async function confirmWritten(
  client: S3Client,
  address: string,
  { bytes, etag }: Written,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  let waitedMs = 0;
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const found = await describeObject(client, address, signal);
    if (found !== undefined) {
      const { object, encrypted } = found;
      const isSame = object.version === `"${etag}"` || encrypted || !CHECKSUM.test(object.version);
      if (object.bytes !== bytes || !isSame) throw notAsWritten(address);
      return object;
    }
    if (waitedMs >= MAX_WAIT_MS) throw unreadable(`write ${address}`, 'the object is not there an hour afterwards');
    await client.pause(pauseMs, signal);
    waitedMs += pauseMs;
  }
}
