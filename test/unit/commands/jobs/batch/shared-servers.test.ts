import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { startPausingProxy } from '../../../../support/postgres/pausing-proxy.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';

const tlsFile = (name: string): string => join(import.meta.dirname, '../../../../support/tls', name);
const CERTIFICATE = tlsFile('test-only-certificate.pem');
const KEY = readFileSync(tlsFile('test-only-key.pem'), 'utf8');

const statusIn = (world: TestWorld, env: Readonly<Record<string, string>>): Promise<Ran> =>
  berthIn({ ...world, env: { ...world.env, ...env } }, ['jobs', 'batch', 'status', 'nightly']);

/** The exit code of a connection that succeeds: there is no such batch. */
const CONNECTED = 4;

describeWithPostgres('a store with a service file', () => {
  const cluster = useCluster();

  async function servedBy(text: (place: { port: number; database: string; password: string }) => string) {
    const world = createTestWorld();
    const { port, password } = cluster();
    const database = await cluster().createDatabase();
    const file = join(world.directory, 'services.conf');
    writeFileSync(file, text({ port, database, password }));
    return { world, file, database };
  }
  const members = ({ port, database, password }: { port: number; database: string; password: string }): string =>
    `host=127.0.0.1\nport=${String(port)}\ndbname=${database}\nuser=postgres\npassword=${password}\n`;

  test.each([
    ['in the address', 'postgres://?service=nightly', {}],
    ['in PGSERVICE', 'postgres://', { PGSERVICE: 'nightly' }],
    ['in the address, not the one of PGSERVICE', 'postgresql:///?service=nightly', { PGSERVICE: 'other' }],
  ])('is reached by a service that is named %s', async (_, store, env) => {
    const { world, file } = await servedBy(
      (place) => `# services\n[other]\nhost=127.0.0.1\nport=1\n\n[nightly]\r\n${members(place)}[last]\n`,
    );
    const ran = await statusIn(world, { BERTH_STORE: store, PGSERVICEFILE: file, PGUSER: 'nobody', ...env });
    expect([ran.code, ran.err]).toEqual([CONNECTED, expect.stringContaining('has no batch')]);
    expect(ran.err).not.toContain(cluster().password);
  });

  test('is reached by the file in the home folder, and by that of PGSYSCONFDIR', async () => {
    for (const [name, env] of [
      ['.pg_service.conf', {}],
      ['pg_service.conf', { PGSYSCONFDIR: '.' }],
    ] as const) {
      const { world, file } = await servedBy((place) => `[nightly]\n${members(place)}`);
      writeFileSync(join(world.directory, name), readFileSync(file));
      expect((await statusIn(world, { BERTH_STORE: 'postgres://?service=nightly', ...env })).code).toBe(CONNECTED);
    }
  });

  test('takes what the address says before what the service says', async () => {
    const { world, file, database } = await servedBy((place) => `[s]\n${members({ ...place, database: 'none' })}`);
    const ran = await statusIn(world, { BERTH_STORE: `postgres:///${database}?service=s`, PGSERVICEFILE: file });
    expect([ran.code, ran.err]).toEqual([CONNECTED, expect.stringContaining(`/${database}`)]);
  });

  test.each([
    ['that no file has', '[other]\n', 'there is no service nightly'],
    ['with a member that berth does not have', '[nightly]\nsslcrl=/x\n', 'unknown parameter sslcrl'],
    ['whose line has no value', '[nightly]\nldap://x/y\n', 'unknown parameter ldap://x/y'],
  ])('is refused for a service %s', async (_, text, message) => {
    const { world, file } = await servedBy(() => text);
    const ran = await statusIn(world, { BERTH_STORE: 'postgres://u@h/d?service=nightly', PGSERVICEFILE: file });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each(['PGHOSTADDR', 'PGSSLCRL', 'PGREQUIREAUTH', 'PGCHANNELBINDING', 'PGGSSENCMODE'])(
    'is refused while %s asks for what berth does not have, by its name',
    async (name) => {
      const ran = await statusIn(createTestWorld(), { BERTH_STORE: 'postgres://u@127.0.0.1:1/d', [name]: 'require' });
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(name)]);
    },
  );
});

describeWithPostgres('a store with several servers', () => {
  const writable = useCluster();
  const readOnly = useCluster({ settings: { default_transaction_read_only: 'on' } });

  const addressOf = (ports: readonly number[], query = ''): Readonly<Record<string, string>> => ({
    BERTH_STORE: `postgres://postgres@${ports.map((port) => `127.0.0.1:${String(port)}`).join(',')}/postgres${query}`,
    PGPASSWORD: writable().password,
  });
  /** Counts the transactions that begin at a server. */
  async function counted(port: number) {
    const count = { begun: 0 };
    const proxy = await startPausingProxy(port, () => {
      count.begun += 1;
    });
    return { count, port: proxy };
  }

  test('is reached by the first one that answers', async () => {
    const [first, second] = [await counted(writable().port), await counted(writable().port)];
    expect((await statusIn(createTestWorld(), addressOf([1, first.port, second.port]))).code).toBe(CONNECTED);
    expect([first.count.begun > 0, second.count.begun]).toEqual([true, 0]);
  });

  test.each(['read-write', 'primary'])('is reached by the first one that accepts writes: %s', async (attributes) => {
    const [first, second] = [await counted(readOnly().port), await counted(writable().port)];
    const query = `?target_session_attrs=${attributes}`;
    expect((await statusIn(createTestWorld(), addressOf([first.port, second.port], query))).code).toBe(CONNECTED);
    expect([first.count.begun, second.count.begun > 0]).toEqual([0, true]);
  });

  test('is not reached while none of them accepts writes', async () => {
    const env = { ...addressOf([readOnly().port, 1]), PGTARGETSESSIONATTRS: 'read-write' };
    const ran = await statusIn(createTestWorld(), env);
    expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('no server that accepts writes')]);
  });

  test('is not looked for elsewhere when a server refuses the password', async () => {
    const second = await counted(writable().port);
    const ran = await statusIn(createTestWorld(), {
      ...addressOf([writable().port, second.port]),
      PGPASSWORD: 'wrong',
    });
    expect([ran.code, second.count.begun]).toEqual([3, 0]);
  });

  test('takes its hosts and ports from PGHOST and PGPORT, and the passwords of each from PGPASSFILE', async () => {
    const world = createTestWorld();
    const { port, password } = writable();
    const file = join(world.directory, 'passwords');
    writeFileSync(file, `localhost:1:*:*:wrong\n127.0.0.1:${String(port)}:*:postgres:${password}\n`);
    chmodSync(file, 0o600);
    const env = { PGHOST: 'localhost,127.0.0.1', PGPORT: `1,${String(port)}`, PGPASSFILE: file };
    expect((await statusIn(world, { BERTH_STORE: 'postgres://postgres@/postgres', ...env })).code).toBe(CONNECTED);
  });

  test.each([
    ['postgres://u@a,b/d?target_session_attrs=standby', 'target_session_attrs has no value standby'],
    ['postgres://u@a:b/d', 'is not the address'],
    ['postgres://u@a:99999/d', 'the port of the store is not a number'],
    ['postgres://u@/d', '3 hosts and 2 ports'],
  ])('is refused where its address cannot be one: %s', async (store, message) => {
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGHOST: 'a,b,c', PGPORT: '1,2' });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describeWithPostgres('a store that asks for a client certificate', () => {
  const cluster = useCluster({
    tls: { certificate: readFileSync(CERTIFICATE, 'utf8'), key: KEY },
    settings: { ssl_ca_file: 'server.crt' },
  });

  /** A database that is open to clients with a certificate of the authority alone. */
  async function guarded() {
    const world = createTestWorld();
    const database = await cluster().createDatabase();
    const rules = join(cluster().folder, 'data', 'pg_hba.conf');
    const rule = `hostssl ${database} all 127.0.0.1/32 trust clientcert=verify-ca\nhost ${database} all 127.0.0.1/32 reject\n`;
    writeFileSync(rules, `${rule}${readFileSync(rules, 'utf8')}`);
    await cluster().query('SELECT pg_reload_conf()');
    const key = join(world.directory, 'client.key');
    writeFileSync(key, KEY);
    chmodSync(key, 0o600);
    const store = `postgres://postgres@127.0.0.1:${String(cluster().port)}/${database}`;
    return { world, key, store };
  }

  test('gets it from the address or from the variables, over TLS', async () => {
    const { world, key, store } = await guarded();
    const files = new URLSearchParams({ sslcert: CERTIFICATE, sslkey: key, sslrootcert: CERTIFICATE });
    for (const env of [
      { BERTH_STORE: `${store}?${files.toString()}` },
      { BERTH_STORE: store, PGSSLCERT: CERTIFICATE, PGSSLKEY: key, PGSSLROOTCERT: CERTIFICATE },
    ]) {
      const ran = await statusIn(world, env);
      expect([ran.code, ran.err]).toEqual([CONNECTED, expect.stringContaining('has no batch')]);
    }
  });

  test('refuses a client without one', async () => {
    const { world, store } = await guarded();
    const query = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(CERTIFICATE)}`;
    const ran = await statusIn(world, { BERTH_STORE: store + query });
    expect([ran.code, ran.err]).toEqual([
      3,
      expect.stringMatching(/asks for a certificate of the client.*\n.*PGSSLCERT/),
    ]);
  });

  test.each([
    ['without its key', 2, 'needs sslcert and sslkey', (key: string) => ({ PGSSLCERT: key })],
    [
      'with a key that others can read',
      2,
      'chmod 600',
      (key: string) => (chmodSync(key, 0o640), { PGSSLCERT: CERTIFICATE, PGSSLKEY: key }),
    ],
    [
      'of an authority that the server does not trust',
      3,
      'refused the certificate of the client',
      (key: string) => ({ PGSSLCERT: tlsFile('test-only-other-host-certificate.pem'), PGSSLKEY: key }),
    ],
    [
      'of a file that is no certificate',
      14,
      'Check the files of PGSSLCERT, PGSSLKEY and PGSSLROOTCERT',
      (key: string) => ({ PGSSLCERT: import.meta.filename, PGSSLKEY: key }),
    ],
    ['of a file that is missing', 14, '/no/file', (key: string) => ({ PGSSLCERT: '/no/file', PGSSLKEY: key })],
  ])('gives no access with one %s', async (_, exit, message, envOf) => {
    const { world, key, store } = await guarded();
    const ran = await statusIn(world, { BERTH_STORE: store, PGSSLROOTCERT: CERTIFICATE, ...envOf(key) });
    expect([ran.code, ran.err]).toEqual([exit, expect.stringContaining(message)]);
    expect(ran.err).not.toContain('PRIVATE KEY');
  });
});
