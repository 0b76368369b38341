import type { Clock, RangeFiles } from '../core/context.ts';
import type { VolumeFiles, VolumePlace } from '../core/file-ports.ts';
import { usage } from '../core/failure.ts';
import { berth, sentence } from '../core/message.ts';
import { DATA_CENTER, storageAddressAt } from '../core/addresses.ts';
import type { Bytes, Milliseconds } from '../core/unit-types.ts';
import type { TraceEvent } from '../http/trace.ts';
import type { Transport } from '../http/transport.ts';
import { createVolumeFiles } from './volume-files/create-volume-files.ts';
import { credentialsOf, type Credentials } from './s3/connection.ts';
import { createS3Client } from './s3/s3-client.ts';

export interface StoragePorts {
  readonly files: RangeFiles;
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's interrupt: it ends requests that have no signal of their own. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly retries: number;
  readonly timeoutMs: Milliseconds;
  readonly partBytes?: Bytes | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

/** A copy of hours must outlive a disturbance of minutes, so objects are retried more often than other requests. */
const MIN_RETRIES = 8;

const REQUESTS_AT_ONCE = 16;

/** The service refuses now and then what is allowed (storage contract). */
const RETRIES_OF_DENIED = 3;

/**
 * `own` is a key of berth's own, in place of the AWS_* variables. Fails with usage (2) without a url and for plain http to
 * another machine; denied (3) without a key.
 */
export async function openVolumeFiles(
  ports: StoragePorts,
  transport: Transport,
  { id, dataCenter }: VolumePlace,
  { url, own }: { readonly url: string | undefined; readonly own: Credentials | undefined },
): Promise<VolumeFiles> {
  if (url === undefined)
    throw usage(
      'no address of the files on volumes is configured',
      sentence`Set BERTH_STORAGE_URL, or keep it: ${berth`config set storage-url URL`} ({data-center} in it stands for the data center of the volume). Or use the local service: --local.`,
    );
  // Without one, an address with a placeholder would be that of another service.
  if (dataCenter === '') throw usage(`the volume ${id} names no data center`, 'Files are reached by data center.');
  const endpoint = storageAddressAt(url, dataCenter.toLowerCase(), 'storage-url');
  const { env, files, retries } = ports;
  const absent = url.includes(DATA_CENTER) ? `there is no such address: ${noInterface(dataCenter)}` : undefined;
  const connection = { endpoint, region: dataCenter, credentials: own ?? credentialsOf(env), absent };
  const client = createS3Client({
    ...ports,
    transport,
    connection,
    retries: retries === 0 ? 0 : Math.max(MIN_RETRIES, retries),
    requestsAtOnce: REQUESTS_AT_ONCE,
    retriesOfDenied: RETRIES_OF_DENIED,
  });
  return createVolumeFiles(client, id, files, ports.partBytes);
}

const noInterface = (dataCenter: string): string => `the data center ${dataCenter} seems to have no files interface`;
