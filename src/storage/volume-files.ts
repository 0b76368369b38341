import { createHash } from 'node:crypto';
import { DATA_CENTER, storageAddressAt } from '../core/addresses.ts';
import type { Clock, RangeFiles } from '../core/context.ts';
import { createSorter } from '../core/external-sort.ts';
import { usage } from '../core/failure.ts';
import type {
  ContentProof,
  FileSource,
  FolderOptions,
  SortedItems,
  VolumeEntry,
  VolumeFile,
  VolumeFiles,
  VolumePlace,
} from '../core/file-ports.ts';
import { berth, sentence } from '../core/message.ts';
import type { Bytes, Milliseconds } from '../core/unit-types.ts';
import { createRequestSlots } from '../http/throttle.ts';
import type { TraceEvent } from '../http/trace.ts';
import type { Transport } from '../http/transport.ts';
import { describeObject } from './s3/confirm-written.ts';
import { type Credentials, credentialsOf } from './s3/connection.ts';
import { type ListedObject, type ListingPage, readListing } from './s3/list-objects.ts';
import { addressOf, parseObjectAddress, type StoredObject } from './s3/object-address.ts';
import { readObject } from './s3/read-object.ts';
import { createS3Client, type S3Client } from './s3/s3-client.ts';
import { unreadable } from './s3/s3-failures.ts';
import { digestOf, partSize, uploadFile } from './s3/upload-file.ts';
import { copyObject, writeObject } from './s3/write-object.ts';

const MIB = 1_048_576;

/** Part sizes that other programs use. Bytes. */
const USUAL_PARTS = [5, 8, 10, 15, 16, 25, 32, 50, 64, 100, 128, 256].map((size) => size * MIB);

/** Storage contract: MD5 of the content, or of its parts' MD5s. `own`: the part size used by this program. */
function proofOf({ bytes, version }: { readonly bytes: number; readonly version: string }, own: number): ContentProof {
  const [, md5, count] = /^"([0-9a-f]{32})(?:-(\d{1,5}))?"$/.exec(version) ?? [];
  if (md5 === undefined) return { kind: 'none' };
  if (count === undefined) return { kind: 'whole', md5 };
  const partBytes = [own, ...USUAL_PARTS].find((size) => Math.ceil(bytes / size) === Number(count));
  if (partBytes === undefined) return { kind: 'none' };
  return {
    kind: 'parts',
    partBytes,
    agrees: (digests) => createHash('md5').update(Buffer.concat(digests)).digest('hex') === md5,
  };
}

async function isProven(proof: ContentProof, bytes: number, source: Omit<FileSource, 'check'>): Promise<boolean> {
  if (proof.kind === 'none' || bytes !== source.bytes) return false;
  if (proof.kind === 'whole') return (await digestOf(source, 0, bytes))?.toString('hex') === proof.md5;
  const { partBytes, agrees } = proof;
  const starts = Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => index * partBytes);
  const digests: Buffer[] = [];
  for (const start of starts) {
    const digest = await digestOf(source, start, Math.min(start + partBytes, bytes));
    if (digest === undefined) return false;
    digests.push(digest);
  }
  return agrees(digests);
}

interface Volume {
  readonly client: S3Client;
  readonly bucket: string;
  readonly files: Pick<RangeFiles, 'openUnnamed'>;
}

async function readFolder(
  { client, bucket, files }: Volume,
  prefix: string,
  { orderOf = ({ key }) => key, atMost = Infinity }: FolderOptions = {},
): Promise<SortedItems<VolumeEntry>> {
  const what = `list ${addressOf(bucket, prefix)}`;
  const reader = await readListing(client, { bucket, prefix, delimiter: '/' }, what, undefined, () => {
    const sorter = createSorter(files, orderOf);
    let count = 0;
    return {
      add: async (page) => {
        const entries = entriesOf(page, prefix);
        count += entries.length;
        if (count > atMost) throw unreadable(what, `it has more than ${String(atMost)} files and folders`);
        await sorter.add(entries);
        return false;
      },
      sorted: () => sorter.sorted(),
      close: () => sorter.close(),
    };
  });
  return reader.sorted();
}

async function isFolder({ client, bucket }: Omit<Volume, 'files'>, prefix: string): Promise<boolean> {
  const what = `list ${addressOf(bucket, prefix)}`;
  const { found } = await readListing(client, { bucket, prefix, delimiter: '/' }, what, undefined, () => {
    const reader = {
      found: false,
      add: (page: ListingPage) => {
        reader.found ||= entriesOf(page, prefix).length > 0;
        return Promise.resolve(reader.found);
      },
      close: () => Promise.resolve(),
    };
    return reader;
  });
  return found;
}

/** A service may name an empty folder, also the one that is listed, as an object whose key ends with a slash. */
const entriesOf = ({ objects, prefixes }: ListingPage, prefix: string): readonly VolumeEntry[] => [
  ...objects.filter(({ key }) => key !== prefix).map(entryOf),
  ...prefixes.filter((key) => key !== prefix).map((key) => ({ kind: 'folder', key }) as const),
];

const entryOf = (file: ListedObject): VolumeEntry =>
  file.key.endsWith('/') ? { kind: 'folder', key: file.key } : { kind: 'file', key: file.key, file };

const PART_BYTES: Bytes = 16 * 1024 * 1024;

/** How many blocks may be in memory at once: of files that are not of this machine. */
const BLOCKS_IN_MEMORY = 3;

export function createVolumeFiles(
  client: S3Client,
  bucket: string,
  files: Pick<RangeFiles, 'openUnnamed'>,
  partBytes = PART_BYTES,
): VolumeFiles {
  const signal = undefined;
  const inMemory = createRequestSlots(BLOCKS_IN_MEMORY);
  const at = (key: string): string => {
    const address = addressOf(bucket, key);
    parseObjectAddress(address);
    return address;
  };
  const fileOf = (key: string, { bytes, version }: StoredObject): VolumeFile => ({
    key,
    bytes,
    version,
    modifiedAt: undefined,
  });
  return {
    id: bucket,
    folder: (prefix, options) => readFolder({ client, bucket, files }, prefix, options),
    isFolder: (prefix) => isFolder({ client, bucket }, prefix),
    find: async (key) => {
      const found = await describeObject(client, at(key), signal);
      return found === undefined ? undefined : { ...fileOf(key, found.object), modifiedAt: found.modifiedAt };
    },
    isSame: (file, source) => isProven(proofOf(file, partSize(file.bytes, partBytes)), file.bytes, source),
    proofOf: (file) => proofOf(file, partSize(file.bytes, partBytes)),
    read: ({ key, bytes, version }, start = 0, end = bytes) =>
      readObject(client, { address: at(key), version }, start, end, signal),
    write: async (key, source, onBytes = () => undefined) => {
      const findSame = async (): Promise<StoredObject | undefined> => {
        const object = (await describeObject(client, at(key), signal))?.object;
        if (object === undefined) return undefined;
        const proof = proofOf(object, partSize(object.bytes, partBytes));
        return (await isProven(proof, object.bytes, source)) ? object : undefined;
      };
      return fileOf(key, await uploadFile(client, at(key), source, { partBytes, signal, inMemory, findSame, onBytes }));
    },
    writeStream: async (key, chunks) => fileOf(key, await writeObject(client, at(key), chunks, partBytes, signal)),
    copy: async ({ key: from, bytes, version }, key, replaces) =>
      fileOf(key, await copyObject(client, { address: at(from), bytes, version }, at(key), replaces)),
    remove: async (key) => {
      const name = parseObjectAddress(at(key));
      await client.send({ what: `remove ${at(key)}`, method: 'DELETE', ...name, handled: [404], signal });
    },
  };
}

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
