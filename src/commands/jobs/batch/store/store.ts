import {
  LOCAL_SERVICE,
  createFileStore,
  withPostgresStore,
  parseStoreAddress,
  resumeLine,
  storeKindOf,
  type Batch,
  type BatchPorts,
  type Store,
  type StoreHost,
  type StoreKind,
  type TableAccess,
} from '../../../../batch/index.ts';
import { usage } from '../../../../core/failure.ts';
import { arrayOf, memberAt } from '../../../../core/json.ts';
import type { DollarRange } from '../../../../core/units.ts';
import type { CredentialWait } from '../../../../core/context.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import { readCertificates, readService, readPassword } from './connection-secrets.ts';
import { ENDPOINTS } from '../../../shared/collections.ts';
import { priceCatalog, workerHourlyPrice } from '../../../shared/rate/worker-price.ts';
import type { Milliseconds } from '../../../../core/unit-types.ts';

/** The variable with the address of the store, which may contain its password. */
const VARIABLE = 'BERTH_STORE';

export interface StoreValues {
  readonly store: string | undefined;
  readonly s3Endpoint: string | undefined;
}

interface OpenStore {
  readonly store: Store;
  readonly ports: BatchPorts;
}

interface StoreUse {
  /** What may be done to the tables of a database: nothing, where it is undefined, not even a look. */
  readonly access: TableAccess | undefined;
  /** The time of a lease: statements must end well before it does. */
  readonly leaseMs?: Milliseconds | undefined;
}

export const kindOf = (ctx: CommandContext, { store }: Pick<StoreValues, 'store'>): StoreKind =>
  storeKindOf(store, ctx.env[VARIABLE]);

/**
 * Opens the store that --store or BERTH_STORE names, or the one of files, runs `work` and closes it. Fails with usage (2) for
 * an address that is not one or that has a password on the command line, and as the database does.
 */
export async function withStore<T>(
  ctx: CommandContext,
  values: StoreValues,
  { access, leaseMs }: StoreUse,
  work: (open: OpenStore) => Promise<T>,
): Promise<T> {
  const kind = kindOf(ctx, values);
  if (kind === 'file') {
    const drives = access === 'create' || access === 'migrate';
    const ports = await batchPorts(ctx, values, drives, referenceOf(values, values.store));
    return await work({ store: createFileStore(ports), ports });
  }
  kind satisfies 'postgres';
  const text = values.store ?? ctx.env[VARIABLE] ?? '';
  const { address, password, showsPassword } = parseStoreAddress(text, ctx.env, await readService(ctx, text));
  if (showsPassword && values.store !== undefined)
    throw usage(
      'the address of --store contains a password, and others can read a command line',
      `Put the whole address into the variable ${VARIABLE}, or the password into PGPASSWORD or the file of PGPASSFILE.`,
    );
  const reference = referenceOf(values, address.shown);
  // The user is asked once for each server, and not for each connection.
  const known = new Map<StoreHost, Promise<string>>();
  const passwordOf = (host: StoreHost): Promise<string> => {
    const asked = known.get(host) ?? readPassword(ctx, address, host, password);
    known.set(host, asked);
    return asked;
  };
  const options = {
    address,
    password: passwordOf,
    certificates: await readCertificates(ctx, address),
    access,
    timeoutMs: leaseMs === undefined ? undefined : Math.max(1000, Math.min(20_000, leaseMs / 4)),
  };
  return await withPostgresStore(options, async (create) => {
    const ports = await batchPorts(ctx, values, access !== undefined, reference);
    return await work({ store: create(ports), ports });
  });
}

/**
 * Names a batch and where it is. A variable may be set where the next command is typed; a flag must be given again. `shown` is
 * the value of --store without a password.
 */
const referenceOf =
  ({ store, s3Endpoint }: StoreValues, shown = ''): BatchPorts['reference'] =>
  (name) => [
    name,
    ...(store === undefined ? [] : ['--store', shown]),
    ...(s3Endpoint === undefined ? [] : ['--s3-endpoint', s3Endpoint]),
  ];

/** Runs `work` on a batch of the store, which it only reads or marks. Fails as `withStore` and finding the batch do. */
export const withBatch = <T>(
  ctx: CommandContext,
  values: StoreValues,
  name: string,
  work: (batch: Batch, open: OpenStore) => Promise<T>,
): Promise<T> => withStore(ctx, values, { access: 'read' }, async (open) => work(await open.store.open(name), open));

/**
 * Returns the parts of the Context that a batch needs. With `credentialsMayExpire`, storage waits for new credentials in place
 * of expired ones, and says so: a batch can take longer than credentials are valid.
 */
async function batchPorts(
  ctx: CommandContext,
  { s3Endpoint }: StoreValues,
  credentialsMayExpire: boolean,
  reference: BatchPorts['reference'],
): Promise<BatchPorts> {
  let isWaiting = false;
  const credentialWait: CredentialWait = {
    onWait: (reason) => {
      isWaiting = true;
      void ctx.tell(reason);
    },
    onEnd: () => {
      isWaiting = false;
      void ctx.tell('The storage service accepts the credentials now.');
    },
  };
  return {
    durable: await ctx.durable(),
    storage: await ctx.storage({ s3Endpoint, ...(credentialsMayExpire ? { credentialWait } : {}) }),
    isStorageWaiting: () => isWaiting,
    clock: ctx.clock,
    random: ctx.random,
    signal: ctx.signal,
    batchApi: (options) => ctx.batchApi(options),
    onSecondInterrupt: (listener) => ctx.onSecondInterrupt(listener),
    workerPrice: (endpointId, signal) => requestWorkerPrice(ctx, endpointId, signal),
    reference,
    resumeCommand: (name) => resumeLine(ctx.settings.local, reference(name)),
  };
}

/**
 * Requests the price of a worker of an endpoint per hour from the management API: the endpoint's hardware, then the
 * catalog's prices for it. Each request is tried once. Fails as the requests do; a queue API may have no management API.
 */
async function requestWorkerPrice(
  ctx: CommandContext,
  endpointId: string,
  signal: AbortSignal,
): Promise<DollarRange | undefined> {
  // The rate windows of these answers are not those of the queue API.
  const api = ctx.batchApi({ signal, onWindows: () => undefined });
  const get = (path: readonly string[]) => api.send({ service: 'base', method: 'GET', path });
  const endpoint = (await get([...ENDPOINTS.path, endpointId])).value ?? null;
  const { path, member } = priceCatalog(endpoint);
  return workerHourlyPrice(endpoint, arrayOf(memberAt((await get(path)).value, member)) ?? []);
}

/** Returns the address of the queue API as a batch stores it: without a key. */
export async function serviceAddress(ctx: CommandContext): Promise<string> {
  const { url } = await ctx.api.preview({ service: 'queue', method: 'GET', path: ['v2'] });
  return ctx.settings.local ? LOCAL_SERVICE : url;
}

/** Milliseconds of a lease when the user names none. */
const DEFAULT_LEASE_MS = 120_000;
const LEAST_LEASE_MS = 2000;

/** Returns the value of --lease. Fails with usage (2) for one that is too short. */
export function leaseOf({ lease = DEFAULT_LEASE_MS }: { readonly lease: number | undefined }): number {
  if (lease < LEAST_LEASE_MS) throw usage('--lease is 2s at least', 'A driver renews it several times in that span.');
  return lease;
}
