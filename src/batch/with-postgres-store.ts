import type { Store, StorePorts } from './model/store.ts';
import type { DatabaseOptions } from './stores/postgres/database/database.ts';
import type { TableAccess } from './stores/postgres/migrations.ts';

interface PostgresOptions extends DatabaseOptions {
  /** What may be done to the tables; not even a look where it is undefined. */
  readonly access: TableAccess | undefined;
}

/** Opens a database, runs `work` and closes it. Fails as the database and `work` do. */
export async function withPostgresStore<T>(
  { access, ...options }: PostgresOptions,
  work: (create: (ports: StorePorts) => Store) => Promise<T>,
): Promise<T> {
  // Loaded only where a database is used.
  const [{ openDatabase }, { prepareTables }, { createPostgresStore }] = await Promise.all([
    import('./stores/postgres/database/database.ts'),
    import('./stores/postgres/migrations.ts'),
    import('./stores/postgres/postgres-store.ts'),
  ]);
  const database = await openDatabase(options);
  try {
    // A new batch makes the tables itself, when all that can be refused was checked.
    if (access !== undefined && access !== 'create') await prepareTables(database, access);
    return await work((ports) => createPostgresStore({ ...ports, database }));
  } finally {
    await database.close().catch(() => undefined);
  }
}
