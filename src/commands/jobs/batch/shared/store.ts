import { findBatch, openDatabase, parseStoreAddress, prepareTables } from '../../../../batch/shared/index.ts';
import type { Database, SharedPorts, StoreAddress, StoredBatch, TableAccess } from '../../../../batch/shared/index.ts';
import { usage } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import { resumeLine } from '../command-lines.ts';
import { batchPorts } from '../ports.ts';
import { readPassword } from './password.ts';

/** The variable with the address of the store, which may contain its password. */
const VARIABLE = 'BERTH_STORE';

/** The options that lead to a store. */
export interface StoreValues {
  readonly store: string | undefined;
  readonly s3Endpoint: string | undefined;
}

/** An open store. */
export interface OpenStore {
  readonly ports: SharedPorts;
  readonly find: (name: string) => Promise<StoredBatch>;
}

/**
 * Opens the store, runs `work` and closes it. `access` is what may be done to its tables: nothing, where it is undefined,
 * not even a look. Fails with usage (2) for an address that is not one or that has a password
 * on the command line, and as the database does.
 */
export async function withStore<T>(
  ctx: CommandContext,
  values: StoreValues,
  access: TableAccess | undefined,
  work: (store: OpenStore) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const text = values.store ?? ctx.env[VARIABLE] ?? '';
  const { address, password } = parseStoreAddress(text, ctx.env);
  if (password !== undefined && values.store !== undefined)
    throw usage(
      'the address of --store contains a password, and others can read a command line',
      `Put the whole address into the variable ${VARIABLE}, or the password into PGPASSWORD or the file of PGPASSFILE.`,
    );
  // The user is asked once, and not for each connection.
  let known: Promise<string> | undefined;
  const database = await openDatabase({
    address,
    password: () => (known ??= readPassword(ctx, address, password)),
    rootCertificates: await certificatesOf(ctx, address),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  try {
    if (access !== undefined) await prepareTables(database, access);
    const ports = await sharedPorts(ctx, values, database, access !== undefined);
    return await work({ ports, find: (name) => findBatch(database, name) });
  } finally {
    await database.close().catch(() => undefined);
  }
}

async function certificatesOf(ctx: CommandContext, { rootCertificates }: StoreAddress): Promise<string | undefined> {
  return rootCertificates === undefined ? undefined : Buffer.from(await ctx.files.read(rootCertificates)).toString();
}

async function sharedPorts(
  ctx: CommandContext,
  values: StoreValues,
  database: Database,
  drives: boolean,
): Promise<SharedPorts> {
  // The variable may be set where the next command is typed; the flag must be given again.
  const reference = (name: string): readonly string[] => [
    name,
    ...(values.store === undefined ? [] : ['--store', database.shown]),
    ...(values.s3Endpoint === undefined ? [] : ['--s3-endpoint', values.s3Endpoint]),
  ];
  return {
    ...(await batchPorts(ctx, values, drives)),
    database,
    reference,
    resumeCommand: (name) => resumeLine(ctx.settings.local, reference(name)),
  };
}
