import type { RangeFiles } from '../core/context.ts';
import type { VolumeFiles, VolumePlace } from '../core/file-ports.ts';
import { Failure, usage } from '../core/failure.ts';
import { berth, sentence } from '../core/message.ts';
import { DATA_CENTER, storageAddressAt } from '../core/addresses.ts';
import type { Transport } from '../http/transport.ts';
import { createVolumeFiles } from './volume-files/create-volume-files.ts';
import { readSettings, retriesOf, type StoragePorts } from './open-storage.ts';
import { findCredentials, NO_CREDENTIALS, type FoundCredentials } from './s3/credentials/find-credentials.ts';
import { createS3Client } from './s3/s3-client.ts';

const REQUESTS_AT_ONCE = 16;

/** The service refuses now and then what is allowed (storage contract). */
const RETRIES_OF_DENIED = 3;

/** Fails with usage (2) without a url and for plain http to another machine; denied (3) without credentials. */
export async function openVolumeFiles(
  ports: StoragePorts & { readonly files: RangeFiles },
  transport: Transport,
  { id, dataCenter }: VolumePlace,
  { url, own }: { readonly url: string | undefined; readonly own: FoundCredentials | undefined },
): Promise<VolumeFiles> {
  if (url === undefined)
    throw usage(
      'no address of the files on volumes is configured',
      sentence`Set BERTH_STORAGE_URL, or keep it: ${berth`config set storage-url URL`} ({data-center} in it stands for the data center of the volume). Or use the local service: --local.`,
    );
  // Without one, an address with a placeholder would be that of another service.
  if (dataCenter === '') throw usage(`the volume ${id} names no data center`, 'Files are reached by data center.');
  const endpoint = storageAddressAt(url, dataCenter.toLowerCase(), 'storage-url');
  const { env, home, runProgram, files } = ports;
  const found =
    own ??
    (await findCredentials({ env, home, runProgram, readText: (path) => readSettings(files, path) }).catch(
      inWordsOfFiles,
    ));
  const absent = url.includes(DATA_CENTER) ? `there is no such address: ${noInterface(dataCenter)}` : undefined;
  const connection = { endpoint, region: dataCenter, found, absent };
  const client = createS3Client({
    ...ports,
    transport,
    connection,
    retries: retriesOf(ports.retries),
    requestsAtOnce: REQUESTS_AT_ONCE,
    retriesOfDenied: RETRIES_OF_DENIED,
  });
  return createVolumeFiles(client, id, files, ports.partBytes);
}

/** Rethrows. A command for files has no s3:// address: where there are no credentials, it says which key is missing. */
function inWordsOfFiles(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== NO_CREDENTIALS) throw error;
  throw error.with({
    message: 'there is no key of the files on volumes',
    hint: sentence`It is a key of its own kind. Keep it in the profile: ${berth`files login`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET; without both, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are used.`,
  });
}

const noInterface = (dataCenter: string): string => `the data center ${dataCenter} seems to have no files interface`;
