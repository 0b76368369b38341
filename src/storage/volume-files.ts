import { storageAddressAt } from '../core/addresses.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, usage } from '../core/failure.ts';
import type { VolumeFiles, VolumePlace } from '../core/file-ports.ts';
import { berth, type Message, sentence } from '../core/message.ts';
import { S3Client, type S3ClientOptions } from './client.ts';
import { proofOf } from './parts.ts';
import { findFile, hasEntries, listEntries, readFile } from './read.ts';
import { checkKey, type Credentials } from './sign.ts';
import { confirmFiles, copyFile, writeFile, writeStream } from './write.ts';

export function createVolumeFiles(client: S3Client): VolumeFiles {
  const checked = (key: string): string => {
    checkKey(client.address(key), key);
    return key;
  };
  return {
    id: client.bucket,
    aheadMs: () => client.aheadMs,
    list: (prefix, isShallow) => listEntries(client, { prefix, isShallow }),
    isFolder: (prefix) => hasEntries(client, prefix),
    find: async (key) => findFile(client, checked(key)),
    proofOf,
    read: (file, ...part) => readFile(client, { ...file, key: checked(file.key) }, ...part),
    write: async (key, source, onBytes = () => undefined) => writeFile(client, checked(key), source, onBytes),
    writeStream: async (key, chunks) => writeStream(client, checked(key), chunks),
    copy: async (file, key) => copyFile(client, file, checked(key)),
    confirm: (files) => confirmFiles(client, files),
    remove: async (key) => {
      const what = `remove ${client.address(key)}`;
      await client.send({ what, method: 'DELETE', key: checked(key), handled: [404] });
    },
  };
}

export interface StorageKey extends Credentials {
  /** Where it comes from, for messages. */
  readonly from: string;
}

export interface StorageOptions {
  readonly url: string | undefined;
  /** Where the address comes from, for messages. */
  readonly urlFrom: string;
  /** A key of berth's own; else the AWS_* variables have one. */
  readonly own: StorageKey | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A copy of hours must outlive a disturbance of minutes, so requests for files are retried more often than others. */
const MIN_RETRIES = 8;

/** Usage (2) without an address, and for plain http to another machine; denied (3) without a key. */
export async function openVolumeFiles(
  client: Omit<S3ClientOptions, 'connection'>,
  { id, dataCenter }: VolumePlace,
  { url, urlFrom, own, env }: StorageOptions,
): Promise<VolumeFiles> {
  if (url === undefined)
    throw usage(
      'no address of the files on volumes is configured',
      sentence`Set BERTH_STORAGE_URL, or keep it: ${berth`config set storage-url URL`} ({data-center} in it stands for the data center of the volume). Or use the local service: --local.`,
    );
  // Without one, an address with a placeholder would be that of another service.
  if (dataCenter === '') throw usage(`the volume ${id} names no data center`, 'Files are reached by data center.');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(id)) throw usage(`the volume id ${JSON.stringify(id)} names no bucket`);
  const { from, ...credentials } = own ?? keyOf(env);
  const connection = {
    endpoint: storageAddressAt(url, dataCenter.toLowerCase(), 'storage-url'),
    region: dataCenter,
    bucket: id,
    credentials,
    from: { address: urlFrom, key: from },
  };
  const retries = client.retries === 0 ? 0 : Math.max(MIN_RETRIES, client.retries);
  return createVolumeFiles(new S3Client({ ...client, retries, connection }));
}

const noKey = (message: string, hint: Message): Failure =>
  new Failure({ code: 'no-storage-key', exit: EXIT.denied, message, hint });

/** Of the AWS_* variables. Denied (3) where no header can carry them. */
function keyOf(env: StorageOptions['env']): StorageKey {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;
  // An empty one counts as absent.
  const [accessKeyId, secretAccessKey, sessionToken] = names.map((name) => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  });
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw noKey(
      'no storage key is configured',
      sentence`Keep one in the profile: ${berth`auth login --storage`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  if (accessKeyId.includes(',') || !/^[\x21-\x7e]+$/.test(`${accessKeyId}${secretAccessKey}${sessionToken ?? ''}`))
    throw noKey('the storage key has invalid characters', `Check ${names.join(', ')}.`);
  return { accessKeyId, secretAccessKey, sessionToken, from: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' };
}
