import type { VolumeFile } from '../core/file-ports.ts';
import { type Failure, localFile } from '../core/failure.ts';
import type { Bytes } from '../core/unit-types.ts';
import { WireError } from '../http/transport.ts';
import { isFailed, LARGE_BYTES, type S3Client, type S3Request } from './client.ts';
import { type FailedAttempt, unreadable } from './failures.ts';

/** Undefined where there is no such file. */
export async function findFile(client: S3Client, key: string): Promise<VolumeFile | undefined> {
  const what = `look at ${client.address(key)}`;
  const { status, headers } = await client.send({ what, method: 'HEAD', key, handled: [404] });
  if (status === 404) return undefined;
  const { etag, 'content-length': size = '', 'last-modified': time = '' } = headers;
  if (etag === undefined || !/^\d{1,15}$/.test(size)) throw unreadable(what, 'it has no ETag or no size');
  const modifiedAt = Date.parse(time);
  return { key, bytes: Number(size), version: etag, modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt };
}

/** Goes on behind what arrived, with the same version. Local-file (14) if the file changed. */
export async function* readFile(
  client: S3Client,
  { key, version: known }: { readonly key: string; readonly version: string | undefined },
  start: Bytes,
  end: Bytes,
): AsyncGenerator<Uint8Array> {
  const address = client.address(key);
  const what = `read ${address}`;
  const retry = client.retry({});
  let version = known;
  let at = start;
  while (at < end) {
    const range = `bytes=${String(at)}-${String(end - 1)}`;
    const request: S3Request = {
      ...{ what, method: 'GET', key, headers: { range }, handled: [404, 416] },
      isLarge: end - at > LARGE_BYTES,
    };
    const answer = await client.open(request, retry.attempts);
    let failed: FailedAttempt;
    if (isFailed(answer)) failed = answer;
    else {
      const { status, headers } = answer;
      version ??= headers['etag'];
      const isChanged = status >= 300 || headers['etag'] !== version;
      // Some services answer 200 instead of 206: the header says which bytes these are.
      const isRange = (headers['content-range'] ?? '').startsWith(`${range.replace('=', ' ')}/`);
      try {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
          // Within the loop, which ends the exchange.
          if (isChanged || !isRange) break;
          // Without this, an answer that never ends would be read for ever.
          if (at === end) throw unreadable(what, 'it is longer than the range that was asked for');
          const wanted = chunk.subarray(0, end - at);
          at += wanted.byteLength;
          retry.reset();
          yield wanted;
        }
        if (status < 300 && headers['etag'] === undefined) throw unreadable(what, 'it has no ETag');
        if (isChanged) throw changedFile(address);
        if (!isRange) throw unreadable(what, 'it is not the range that was asked for');
        if (at < end) throw new WireError('answered', 'the answer is shorter than it said');
        return;
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        failed = client.lost(request, error);
      }
    }
    await retry.next(failed);
  }
}

const changedFile = (address: string): Failure =>
  localFile(`${address} was changed or removed while it was read`, 'Run it again.');
