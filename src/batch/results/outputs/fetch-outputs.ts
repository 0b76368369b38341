import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DurableFiles } from '../../../core/context.ts';
import { type Failure, localFile, usage } from '../../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, numberOf } from '../../../core/json.ts';
import { allowedHosts, httpUrl } from './allowed-hosts.ts';
import { fileNameOf, type NamedFile, namedFiles } from './named-files.ts';
import {
  createByteBudget,
  downloadFile,
  type DownloadParts,
  type FetchPorts,
  NotFetched,
  overBudget,
} from './download-file.ts';
import { addressDigest, MANIFEST, type OutputsManifest, openManifest } from './manifest.ts';

interface FetchOptions {
  readonly rows: () => AsyncIterable<Iterable<JsonObject>>;
  /** The path of the addresses in an output. */
  readonly field: string;
  readonly into: string;
  readonly hosts: readonly string[];
  readonly maxBytes: number;
  /** What this run may download in all; no limit by default. */
  readonly maxTotalBytes?: number | undefined;
  readonly concurrency: number;
  readonly onProgress?: (progress: FetchProgress) => void;
}

/** A file that was not downloaded. */
interface FetchFailure {
  readonly item: number;
  /** Without its query. */
  readonly address: string;
  readonly reason: string;
}

interface FetchProgress {
  readonly files: number;
  readonly downloaded: number;
  /** Files that an earlier run had downloaded. */
  readonly existing: number;
  readonly failed: number;
  readonly bytes: number;
}

export interface FetchSummary extends FetchProgress {
  readonly failures: readonly FetchFailure[];
  /** True when files are missing because all would be larger than the limit. */
  readonly isOverTotal: boolean;
}

const MAX_FAILURES = 1000;

/**
 * Downloads the files that outputs name into a folder. What an earlier run has downloaded is not downloaded again. A
 * failure of one file is counted, and the others go on. Fails with usage (2) when no host is given, with local-file (14)
 * for trouble with the folder, and with the interrupt; run again, it then goes on.
 */
export async function fetchOutputs(ports: FetchPorts, options: FetchOptions): Promise<FetchSummary> {
  const { durable, signal } = ports;
  const { into } = options;
  if (options.hosts.length === 0) throw await noHosts(options);
  const hosts = allowedHosts(options.hosts);
  const { kind } = await durable.resolve(into);
  if (into === '' || (kind !== 'directory' && kind !== 'nothing' && kind !== 'no-folder'))
    throw localFile(`${JSON.stringify(into)} is not a folder`, 'Name another --into.');
  await durable.makeFolder(into);
  const path = join(into, MANIFEST);
  const release = await durable.lock(`${path}.lock`, [path]);
  try {
    const manifest = await openManifest(durable, path);
    const state = { files: 0, downloaded: 0, existing: 0, failed: 0, bytes: 0, failures: [] as FetchFailure[] };
    const tasks = filesOf(options);
    const budget = createByteBudget(options.maxTotalBytes ?? Number.POSITIVE_INFINITY);
    const work = async (): Promise<void> => {
      for await (const file of { [Symbol.asyncIterator]: () => ({ next: () => tasks.next() }) }) {
        if (signal.aborted) throw signal.reason;
        state.files += 1;
        try {
          const bytes = await fetchOne({ ...ports, hosts, budget }, options, manifest, file);
          if (bytes === undefined) state.existing += 1;
          else {
            state.downloaded += 1;
            state.bytes += bytes;
          }
        } catch (error) {
          if (!(error instanceof NotFetched)) throw error;
          state.failed += 1;
          const { item, address } = file;
          if (state.failures.length < MAX_FAILURES)
            state.failures.push({ item, address: shown(address), reason: error.message });
        }
        options.onProgress?.(state);
      }
    };
    try {
      const ends = await Promise.allSettled(Array.from({ length: options.concurrency }, work));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      await manifest.close();
    }
    const failures = state.failures.toSorted((one, other) => one.item - other.item);
    return { ...state, failures, isOverTotal: !budget.isOpen };
  } finally {
    await release();
  }
}

async function* filesOf({ rows, field }: FetchOptions): AsyncGenerator<NamedFile> {
  for await (const group of rows())
    for (const row of group) yield* namedFiles(numberOf(row['item']) ?? 0, row['output'] ?? null, field);
}

/** Downloads one file and returns its size; undefined when it is there already. Fails as `downloadFile` does. */
async function fetchOne(
  parts: Omit<DownloadParts, 'maxBytes'>,
  { into, maxBytes }: FetchOptions,
  manifest: OutputsManifest,
  named: NamedFile,
): Promise<number | undefined> {
  const { durable, hosts, budget } = parts;
  const { item, index, address } = named;
  if (typeof address !== 'string') throw new NotFetched('what the output has there is not an address');
  const allowed = hosts.check(address);
  if ('refused' in allowed) throw new NotFetched(allowed.refused);
  const file = fileNameOf(named, allowed.url);
  const path = join(into, file);
  const size = await durable.size(path);
  const digest = addressDigest(address);
  const known = manifest.find(item, index);
  if (known?.addressSha256 === digest && known.file === file && size !== undefined) {
    if (size === known.bytes) return undefined;
    throw new NotFetched(`${file} was changed after it was downloaded, and is not overwritten`);
  }
  if (!budget.isOpen) throw overBudget();
  const temporary = `${path}.part`;
  const { bytes, sha256, etag } = await downloadFile({ ...parts, maxBytes }, allowed.url, temporary);
  if ((await durable.size(path)) === undefined) await durable.replace(temporary, path);
  else {
    // Downloaded before, and not in the manifest: the run was killed in between. Or it is another file.
    await durable.remove(temporary);
    if ((await sha256Of(durable, path)) !== sha256)
      throw new NotFetched(`${file} exists with other content, and is not overwritten`);
  }
  const about = { item, index, address: shown(address), addressSha256: digest, file, bytes, sha256 };
  await manifest.add({ ...about, ...(etag === undefined ? {} : { etag }) });
  return bytes;
}

async function sha256Of(durable: DurableFiles, path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of durable.read(path, 0)) hash.update(chunk);
  return hash.digest('hex');
}

const MAX_SHOWN = 300;

function shown(address: Json): string {
  const text = typeof address === 'string' ? address : encodeJson(address);
  const url = httpUrl(text);
  return (url === undefined ? withoutSecrets(text) : url.origin + url.pathname).slice(0, MAX_SHOWN);
}

/** Text that is no address may still hold the user info and the query of one. */
const withoutSecrets = (text: string): string => text.replace(/[?#].*$/s, '').replace(/^([^/?#]*:)?\/\/[^/]*@/, '$1//');

const MAX_HOSTS = 20;

/** The failure (2) without --fetch-from: it names the hosts that the outputs name. */
async function noHosts(options: FetchOptions): Promise<Failure> {
  const found = new Map<string, number>();
  for await (const { address } of filesOf(options)) {
    const host = typeof address === 'string' ? httpUrl(address)?.host : undefined;
    if (host !== undefined && (found.has(host) || found.size < MAX_HOSTS)) found.set(host, (found.get(host) ?? 0) + 1);
  }
  const hosts = [...found].map(([host, count]) => `${host} (${count})`).join(', ');
  return usage(
    '--fetch-outputs needs --fetch-from: the hosts that files may come from',
    hosts === ''
      ? `No output has an address at ${options.field}.`
      : `The outputs name ${hosts}. Name those that you trust: --fetch-from HOST.`,
  );
}
