import type { Clock, DurableFiles, ObjectStorage, StorageOptions } from '../core/context.ts';
import { collectBytes } from '../core/files.ts';
import { localFile } from '../core/failure.ts';
import { formatBytes } from '../core/units.ts';
import type { TraceEvent } from '../http/trace.ts';
import type { ClientTransport } from '../http/wire/client.ts';
import { createFolderStorage } from './folder-storage.ts';
import type { RunProgram } from './s3/credentials/credential-process.ts';
import { isObjectAddress } from './s3/object-address.ts';
import type { Bytes, Milliseconds } from '../core/unit-types.ts';

export interface StoragePorts {
  readonly files: DurableFiles;
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The user's interrupt: it ends requests that have no signal of their own. */
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly runProgram: RunProgram;
  readonly retries: number;
  readonly timeoutMs: Milliseconds;
  readonly partBytes?: Bytes | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

export interface OpenStorage extends ObjectStorage {
  close(): Promise<void>;
}

/** Opens files and objects by address. Nothing is read or connected before the first `s3://` address. */
export function openStorage(ports: StoragePorts, { s3Endpoint, credentialWait }: StorageOptions): OpenStorage {
  const folder = createFolderStorage(ports.files, ports.random);
  let opening: Promise<ObjectStorage> | undefined;
  let transport: ClientTransport | undefined;

  const openS3 = async (): Promise<ObjectStorage> => {
    const [{ createTransport }, { findConnection }, { createS3Client }, { createS3Storage }] = await Promise.all([
      import('../http/wire/client.ts'),
      import('./s3/connection-settings.ts'),
      import('./s3/s3-client.ts'),
      import('./s3/operations/s3-storage.ts'),
    ]);
    const { env, home, files, runProgram } = ports;
    const connection = await findConnection({
      endpoint: s3Endpoint,
      env,
      home,
      runProgram,
      readText: (path) => readSettings(files, path),
    });
    transport = createTransport({ env });
    const client = createS3Client({
      ...ports,
      transport,
      connection,
      credentialWait,
      retries: retriesOf(ports.retries),
    });
    return createS3Storage(client, ports.partBytes ?? PART_BYTES);
  };
  const at = (address: string): Promise<ObjectStorage> =>
    isObjectAddress(address) ? (opening ??= openS3()) : Promise.resolve(folder);

  return {
    list: async function* (pattern, signal) {
      yield* (await at(pattern)).list(pattern, signal);
    },
    describe: async (address, signal) => (await at(address)).describe(address, signal),
    read: async function* (object, start, end, signal) {
      yield* (await at(object.address)).read(object, start, end, signal);
    },
    write: async (address, chunks, signal) => (await at(address)).write(address, chunks, signal),
    create: async (address, content, signal) => (await at(address)).create(address, content, signal),
    remove: async (address, signal) => (await at(address)).remove(address, signal),
    close: async () => {
      await transport?.close();
    },
  };
}

/** At most 10,000 parts are allowed, and each has at least 5 MiB. One part is in memory. */
const PART_BYTES = 16 * 1024 * 1024;

/** A batch of hours must outlive a disturbance of minutes, so objects are retried more often than other requests. */
const MIN_RETRIES = 8;

export const retriesOf = (retries: number): number => (retries === 0 ? 0 : Math.max(MIN_RETRIES, retries));

const MAX_SETTINGS_BYTES: Bytes = 1024 * 1024;

/** Returns the text of a file; undefined when there is none. Fails with local-file (14), also when it is too large. */
export async function readSettings(files: DurableFiles, path: string): Promise<string | undefined> {
  if ((await files.size(path)) === undefined) return undefined;
  const bytes = await collectBytes(files.read(path), MAX_SETTINGS_BYTES);
  if (bytes !== undefined) return bytes.toString();
  throw localFile(
    `cannot use ${path}: it is larger than ${formatBytes(MAX_SETTINGS_BYTES)}`,
    'Name a file of settings: AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE.',
  );
}
