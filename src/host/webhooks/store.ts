import { constants, lstatSync, promises as fs, statSync } from 'node:fs';
import { join } from 'node:path';
import { localFile } from '../../core/failure.ts';
import { errorCode } from '../../core/files/file-errors.ts';
import type { Delivery, NewWebhook, StoredWebhook, Webhooks } from '../../core/ports/webhooks.ts';
import { wrapErrors } from '../files/wrap-errors.ts';
import { isRecord, makeFolder } from '../remembered/json-file.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** What is kept at most: the oldest ones are removed. */
const MAX_KEPT = { webhooks: 1000, bytes: 256_000_000 };

/** After how much more the limits are applied again. */
const PRUNED_AFTER = { webhooks: 50, bytes: 25_000_000 };

/** The longest description that is read: its headers and its deliveries. */
const MAX_HEAD_BYTES: Bytes = 4_000_000;

export interface StoreOptions {
  readonly folder: string;
  /** The date, in milliseconds since the epoch. */
  readonly date: () => number;
  readonly random: () => number;
  readonly user: number | undefined;
}

/**
 * Keeps webhooks in a folder, two files each, mode 0600: `ID.body` is the body as it was sent, `ID.json` has a line that
 * describes it and then a line for each delivery. Nothing is ever written again, and each name is created once, so that
 * several processes share the folder without a lock.
 */
export function openStore({ folder, date, random, user }: StoreOptions): Omit<Webhooks, 'listen' | 'post'> {
  // The first add looks at what earlier processes left.
  let unpruned = { ...PRUNED_AFTER };
  const bodyOf = (id: string): string => join(folder, `${id}.body`);
  const headOf = (id: string): string => join(folder, `${id}.json`);

  /** Writes the body to a name that nobody has, and returns the id. */
  const create = async (at: number, body: Uint8Array): Promise<string> => {
    const first = Math.floor(random() * 36 ** 4);
    for (let attempt = 0; ; attempt++) {
      const id = `${at.toString(36).padStart(9, '0')}-${((first + attempt) % 36 ** 4).toString(36).padStart(4, '0')}`;
      try {
        await fs.writeFile(bodyOf(id), body, { mode: 0o600, flag: 'wx', flush: true });
        return id;
      } catch (error) {
        if (errorCode(error) !== 'EEXIST' || attempt > 1000) throw error;
      }
    }
  };

  const read = async (id: string): Promise<StoredWebhook | undefined> => {
    const bytes = await readIfThere(headOf(id), MAX_HEAD_BYTES);
    const [head, ...deliveries] = (bytes?.toString('utf8') ?? '').split('\n').map(parsed);
    if (head === undefined || !isHead(head)) return undefined;
    return {
      ...head,
      id,
      file: bodyOf(id),
      deliveries: deliveries.flatMap((each) => (each !== undefined && isDelivery(each) ? [each] : [])),
    };
  };

  const prune = async (): Promise<void> => {
    const ids = idsOf(await fs.readdir(folder)).reverse();
    let bytes = 0;
    for (const [at, id] of ids.entries()) {
      bytes += [bodyOf(id), headOf(id)].reduce((sum, file) => sum + sizeOf(file), 0);
      if (at < MAX_KEPT.webhooks && bytes <= MAX_KEPT.bytes) continue;
      await Promise.all([fs.rm(headOf(id), { force: true }), fs.rm(bodyOf(id), { force: true })]);
    }
  };

  return {
    add: async ({ body, ...facts }: NewWebhook) =>
      await wrapErrors(`cannot keep a webhook in ${folder}`, async () => {
        makeFolder(bodyOf(''), user);
        const at = date();
        const id = await create(at, body);
        const head = { at, bytes: body.byteLength, ...facts };
        await fs.writeFile(headOf(id), `${JSON.stringify(head)}\n`, { mode: 0o600, flag: 'wx', flush: true });
        unpruned.webhooks++;
        unpruned.bytes += body.byteLength;
        // To look at all that is kept takes longer than to keep one.
        if (unpruned.webhooks >= PRUNED_AFTER.webhooks || unpruned.bytes >= PRUNED_AFTER.bytes) {
          unpruned = { webhooks: 0, bytes: 0 };
          await prune();
        }
        return { ...head, id, file: bodyOf(id), deliveries: [] };
      }),
    record: async (id, delivery) => {
      await wrapErrors(`cannot write ${headOf(id)}`, async () => {
        const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
        const file = await fs.open(headOf(id), flags).catch((error: unknown) => {
          if (errorCode(error) === 'ENOENT') return undefined;
          throw error;
        });
        try {
          await file?.writeFile(`${JSON.stringify(delivery)}\n`);
        } finally {
          await file?.close();
        }
      });
    },
    list: async () =>
      await wrapErrors(`cannot read ${folder}`, async () => {
        if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
        makeFolder(bodyOf(''), user);
        const found: (StoredWebhook | undefined)[] = [];
        for (const id of idsOf(await fs.readdir(folder))) found.push(await read(id));
        return found.filter((each) => each !== undefined);
      }),
    body: async ({ id, bytes }) =>
      await wrapErrors(`cannot read ${bodyOf(id)}`, async () => {
        const body = await readIfThere(bodyOf(id), bytes);
        if (body?.byteLength !== bytes) throw localFile(`${bodyOf(id)} is not as it was written`);
        return body;
      }),
  };
}

/** The ids of the names in the folder, in the order of time. */
const idsOf = (names: readonly string[]): string[] =>
  [...new Set(names.flatMap((name) => /^([0-9a-z]{9,}-[0-9a-z]{4})\.(?:body|json)$/.exec(name)?.[1] ?? []))].sort();

const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Undefined where there is no regular file of at most so many bytes. */
async function readIfThere(path: string, maxBytes: Bytes): Promise<Buffer | undefined> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= maxBytes ? await fs.readFile(path) : undefined;
}

/** A line as JSON; undefined for one that was cut off. */
function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Head = Omit<StoredWebhook, 'id' | 'file' | 'deliveries'>;

const isText = (value: unknown): value is string => typeof value === 'string';

const isHead = (value: unknown): value is Head => {
  if (!isRecord(value)) return false;
  const { at, bytes, target, headers, source } = value;
  return (
    [at, bytes].every((each) => Number.isSafeInteger(each)) &&
    isText(target) &&
    (source === 'received' || source === 'made') &&
    Array.isArray(headers) &&
    headers.every((pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  );
};

const isDelivery = (value: unknown): value is Delivery => isRecord(value) && Number.isSafeInteger(value['at']);
