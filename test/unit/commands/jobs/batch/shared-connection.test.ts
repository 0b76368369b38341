import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createStoreWorld } from '../../../../support/batch/store-world.ts';
import { errorMessage, messageOf } from '../../../../support/postgres/messages.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../../support/worlds/test-world.ts';

const tlsFile = (name: string): string => join(import.meta.dirname, '../../../../support/tls', name);
const CERTIFICATE = tlsFile('test-only-certificate.pem');
const tls = { certificate: readFileSync(CERTIFICATE, 'utf8'), key: readFileSync(tlsFile('test-only-key.pem'), 'utf8') };

/** A name that leads to this machine and that is neither a loopback address nor in the certificate. */
const OTHER_NAME = '127.1';

const statusIn = (world: TestWorld, env: Readonly<Record<string, string>>): Promise<Ran> =>
  berthIn({ ...world, env: { ...world.env, ...env } }, ['jobs', 'batch', 'status', 'nightly']);

/** The exit code of a connection that succeeds: there is no such batch. */
const CONNECTED = 4;

describeWithPostgres('a connection to the store with TLS', () => {
  const cluster = useCluster({ tls, settings: { log_connections: 'on' } });

  test.each<readonly [string, string, string, number, string]>([
    ['in clear text on loopback', '127.0.0.1', '', CONNECTED, 'has no batch'],
    ['of an authority that is named', '127.0.0.1', 'sslmode=verify-full&sslrootcert=ROOT', CONNECTED, 'has no batch'],
    ['by its name', 'localhost', 'sslmode=require&sslrootcert=ROOT', CONNECTED, 'has no batch'],
    ['of an unknown authority', '127.0.0.1', 'sslmode=verify-full', 7, 'an authority that is not trusted here'],
    ['of an unknown authority, with sslmode=require', 'localhost', 'sslmode=require', 7, 'PGSSLROOTCERT=FILE'],
    ['of an unknown authority, by default', OTHER_NAME, '', 7, 'certificate'],
    ['for another name', OTHER_NAME, 'sslrootcert=ROOT', 7, 'for another host name: it is for'],
    ['for another name, with verify-ca', OTHER_NAME, 'sslmode=verify-ca&sslrootcert=ROOT', 7, 'PGSSLMODE=no-verify'],
    ['that is not verified', OTHER_NAME, 'sslmode=no-verify', CONNECTED, 'has no batch'],
    ['switched off for another machine', OTHER_NAME, 'sslmode=disable', 2, 'only for a database on this machine'],
    ['of a file that is missing', '127.0.0.1', 'sslmode=verify-full&sslrootcert=/no/file', 14, '/no/file'],
  ])('accepts or refuses a certificate: %s', async (_, host, parameters, exit, message) => {
    const database = await cluster().createDatabase();
    const query = parameters.replace('ROOT', encodeURIComponent(CERTIFICATE));
    const { port, password } = cluster();
    const store = `postgres://postgres@${host}:${String(port)}/${database}${query === '' ? '' : `?${query}`}`;
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: password });
    expect([ran.code, ran.err]).toEqual([exit, expect.stringContaining(message)]);
    const log = cluster()
      .log()
      .split('\n')
      .filter((line) => line.includes(`database=${database} application_name=berth`));
    expect([log.length > 0, log.every((line) => line.includes('SSL enabled'))]).toEqual(
      exit === CONNECTED ? [true, parameters !== ''] : [false, true],
    );
  });

  test.each<readonly [string, string, Readonly<Record<string, string>>, number, string, boolean]>([
    ['asks for TLS on loopback', '127.0.0.1', { PGSSLMODE: 'require' }, 7, 'certificate', false],
    [
      'asks for TLS on loopback, with a known authority',
      '127.0.0.1',
      { PGSSLMODE: 'verify-full', PGSSLROOTCERT: CERTIFICATE },
      CONNECTED,
      'has no batch',
      true,
    ],
    ['asks for no verification', '127.0.0.1', { PGSSLMODE: 'no-verify' }, CONNECTED, 'has no batch', true],
    ['leaves it to berth', '127.0.0.1', { PGSSLMODE: 'prefer' }, CONNECTED, 'has no batch', false],
    ['leaves it to berth on another machine', OTHER_NAME, { PGSSLMODE: 'prefer' }, 7, 'certificate', false],
    ['switches it off for another machine', OTHER_NAME, { PGSSLMODE: 'disable' }, 2, 'PGSSLMODE=disable', false],
    ['is no mode', '127.0.0.1', { PGSSLMODE: 'sometimes' }, 2, 'PGSSLMODE has no value sometimes', false],
  ])('takes PGSSLMODE that %s', async (_, host, env, exit, message, hasTls) => {
    const database = await cluster().createDatabase();
    const { port, password } = cluster();
    const store = `postgres://postgres@${host}:${String(port)}/${database}`;
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: password, ...env });
    expect([ran.code, ran.err]).toEqual([exit, expect.stringContaining(message)]);
    const log = cluster()
      .log()
      .split('\n')
      .filter((line) => line.includes(`database=${database} application_name=berth`));
    expect([log.length > 0, log.some((line) => line.includes('SSL enabled'))]).toEqual([exit === CONNECTED, hasTls]);
  });
});

describeWithPostgres('a connection to the store', () => {
  const cluster = useCluster();

  test('is refused when the server has no TLS and the address asks for it', async () => {
    const { port, password } = cluster();
    for (const [host, parameters] of [
      ['127.0.0.1', '?sslmode=require'],
      [OTHER_NAME, ''],
    ]) {
      const store = `postgres://postgres@${String(host)}:${String(port)}/postgres${String(parameters)}`;
      const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: password });
      expect([ran.code, ran.err]).toEqual([
        7,
        expect.stringMatching(/has no TLS, and the connection needs it\n.*PGSSLMODE=disable/),
      ]);
    }
  });

  test('to a server that accepts no writes, as during a failover, is enough to read what there is', async () => {
    const database = await cluster().createDatabase();
    await cluster().query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`, database);
    const { port, password } = cluster();
    const store = `postgres://postgres@127.0.0.1:${String(port)}/${database}`;
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: password });
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('has no batch: it has no tables of berth')]);
  });

  /** An address without a password, and the line of a password file for it. */
  async function withoutPassword() {
    const database = await cluster().createDatabase();
    const { port, password } = cluster();
    const place = `127.0.0.1:${String(port)}`;
    return { store: `postgres://postgres@${place}/${database}`, line: `${place}:${database}:postgres:${password}` };
  }
  const passwordFile = (world: TestWorld, text: string, mode = 0o600): string => {
    const file = join(world.directory, 'passwords');
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };

  test('takes its password from the first line of PGPASSFILE that matches', async () => {
    const world = createTestWorld();
    const { store, line } = await withoutPassword();
    const other = 'other.example.com:*:*:*:wrong';
    for (const text of [line, `# a comment\n${other}\n*:*:*:postgres:${line.split(':')[4] ?? ''}\n`]) {
      const ran = await statusIn(world, { BERTH_STORE: store, PGPASSFILE: passwordFile(world, text) });
      expect([ran.code, ran.err]).toEqual([CONNECTED, expect.not.stringContaining('password file')]);
    }
  });

  test.each(['640', '604', '660', '666'])('does not use a PGPASSFILE of mode %s, and says so', async (mode) => {
    const world = createTestWorld();
    const { store, line } = await withoutPassword();
    const file = passwordFile(world, line, Number.parseInt(mode, 8));
    const ran = await statusIn(world, { BERTH_STORE: store, PGPASSFILE: file });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`chmod 600 ${file}`);
    expect(ran.err).toContain('asks for a password');
  });

  test('asks for a password on a terminal, once for all connections, and never shows it', async () => {
    const { world } = await createStoreWorld(cluster(), { tty: true });
    const { store } = await withoutPassword();
    writeFileSync(join(world.directory, 'in.jsonl'), '{"n":1}\n'.repeat(25));
    const running = berthIn({ ...world, env: { ...world.env, BERTH_STORE: store } }, [
      ...['jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--shard-items', '5'],
    ]);
    const question = `Password of ${store}`;
    while (!world.err().includes(question)) await new Promise(setImmediate);
    await world.type(cluster().password, KEYS.enter);
    const ran = await running;
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    expect(ran.out + ran.err).not.toContain(cluster().password);
    // A question that was answered is written a second time, with its mark.
    expect(ran.err.lastIndexOf(question)).toBeLessThan(ran.err.indexOf('Batch echo-'));
  });

  test('with a wrong password is denied, and the password is not shown', async () => {
    const { store } = await withoutPassword();
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: 'hush-hush' });
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('refused the connection')]);
    expect(ran.err).toContain('Set the password in');
    expect(ran.err).not.toContain('hush-hush');
  });

  test('of a user that may not log in is denied, and no other password is asked for', async () => {
    const database = await cluster().createDatabase();
    const user = `closed_${database}`;
    await cluster().query(`CREATE ROLE ${user} NOLOGIN PASSWORD 'right'`);
    const store = `postgres://${user}@127.0.0.1:${String(cluster().port)}/${database}`;
    const ran = await statusIn(createTestWorld(), { BERTH_STORE: store, PGPASSWORD: 'right' });
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('is not permitted to log in')]);
    expect(ran.err).toContain('its right to log in');
    expect(ran.err).not.toContain('Set the password');
  });
});

test('a server that ends together with the message that it is ready is an error of the store, not a crash', async () => {
  const ends = errorMessage('57P01', 'terminating connection');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([messageOf('R', 0), messageOf('Z', 'I'), ends])));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ran = await statusIn(createTestWorld(), {
    BERTH_STORE: `postgres://u@127.0.0.1:${String(port)}/d`,
    PGPASSWORD: 'x',
  });
  expect([ran.code, ran.err]).toEqual([7, expect.stringContaining('cannot be reached')]);
});
