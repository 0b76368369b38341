import { type Failure, localFile } from '../../core/failure.ts';
import { WireError } from '../../http/transport.ts';
import { parseObjectAddress, type StoredObject } from './object-address.ts';
import { isFailed, type LostOrRefused, type S3Client, type S3Request } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';

/** Resumes a broken answer with the same version. Fails with local-file (14) if the object changed. */
export async function* readObject(
  client: S3Client,
  { address, version: known }: Pick<StoredObject, 'address'> & { readonly version: string | undefined },
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const { bucket, key } = parseObjectAddress(address);
  const what = `read ${address}`;
  let version = known;
  let at = start;
  let attempts = 1;
  let waitedMs = 0;
  while (at < end) {
    const request: S3Request = {
      what,
      method: 'GET',
      bucket,
      key,
      headers: {
        range: `bytes=${String(at)}-${String(end - 1)}`,
        ...(version === undefined ? {} : { 'if-match': version }),
      },
      handled: [404, 412, 416],
      signal,
    };
    const answer = await client.open(request, attempts);
    let lost: LostOrRefused;
    if (isFailed(answer)) lost = answer;
    else {
      const { status, headers } = answer;
      version ??= headers['etag'];
      const isChanged = status >= 300 || headers['etag'] !== version;
      // Some services answer 200 instead of 206: the header says which bytes these are.
      const isRange = (headers['content-range'] ?? '').startsWith(`bytes ${String(at)}-${String(end - 1)}/`);
      try {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
          // Within the loop, which ends the exchange.
          if (isChanged || !isRange) break;
          // Without this, an answer that never ends would be read for ever.
          if (at === end) throw unreadable(what, 'it is longer than the range that was asked for');
          const wanted = chunk.subarray(0, end - at);
          at += wanted.byteLength;
          // What arrived is progress: the count of attempts begins again.
          [attempts, waitedMs] = [1, 0];
          yield wanted;
        }
        // Not every service knows If-Match: without an ETag, nothing says which version it is.
        if (status < 300 && headers['etag'] === undefined) throw unreadable(what, 'it has no ETag');
        if (isChanged) throw changedObject(address);
        if (!isRange) throw unreadable(what, 'it is not the range that was asked for');
        if (at < end) throw new WireError('answered', 'the answer is shorter than it said');
        return;
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        lost = client.lost(request, error);
      }
    }
    waitedMs = await client.waitForRetry(lost, attempts, waitedMs, request);
    attempts += 1;
  }
}

/** Exit 14. */
const changedObject = (address: string): Failure =>
  localFile(
    `${address} was changed or removed after it was checked`,
    'Nothing of the changed content was used. Restore it, or begin again with the content that it has now.',
  );
