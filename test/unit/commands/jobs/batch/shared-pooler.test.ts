import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { errorMessage } from '../../../../support/postgres/messages.ts';
import { hasPooler, startPooler } from '../../../../support/postgres/pooler.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

const RUN = ['run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--name', 'nightly', '--shard-items', '5'];

describeWithPostgres('a store behind PgBouncer in transaction mode', () => {
  const cluster = useCluster({ settings: { synchronous_commit: 'off' } });

  test.skipIf(!hasPooler)('runs a batch, and leaves no setting in a session', async () => {
    const { world, database } = await createStoreWorld(cluster());
    const { port } = await startPooler(cluster());
    const pooled = { ...world, env: { ...world.env, BERTH_STORE: cluster().url(database, port) } };
    write(world, 'in.jsonl', items(40));
    const ran = await batchIn(pooled, ...RUN);
    expect([ran.code, ran.code === 0 ? '' : ran.err]).toEqual([0, '']);
    const status = await batchIn(pooled, 'status', 'nightly');
    expect(JSON.parse(status.out)).toMatchObject({ completed: 40, holds: true });
    const settings = `SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
      WHERE name IN ('synchronous_commit', 'statement_timeout', 'lock_timeout')`;
    expect(await cluster().query(settings, database)).toBe('lock_timeout=0 statement_timeout=0 synchronous_commit=off');
  });

  test.skipIf(!hasPooler)('ends at once when the pooler refuses what others accept', async () => {
    const { world, database } = await createStoreWorld(cluster());
    const { port } = await startPooler(cluster(), { auth_type: 'scram-sha-256' });
    const store = cluster().url(database, port).replace(cluster().password, 'wrong');
    const ran = await batchIn({ ...world, env: { ...world.env, BERTH_STORE: store } }, 'status', 'nightly');
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('refused the connection')]);
  });
});

describe('an error of a pooler, which has one code for all', () => {
  test.each([
    ['unsupported startup parameter: extra_float_digits', 5, 'does not accept this connection'],
    ['no such database: berth', 4, 'was not found'],
    ['SASL authentication failed', 3, 'refused the connection'],
    ['query_wait_timeout', 7, 'cannot answer now'],
    ['server login has been failing, try again later (server_login_retry)', 7, 'cannot answer now'],
    ['no more connections allowed (max_client_conn)', 7, 'cannot answer now'],
  ])('%s ends %i: %s', async (message, exit, said) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(errorMessage('08P01', message)));
    });
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const world = createTestWorld();
    const env = { ...world.env, BERTH_STORE: `postgres://u@127.0.0.1:${String(port)}/d`, PGPASSWORD: 'x' };
    const ran = await batchIn({ ...world, env }, 'status', 'nightly');
    expect([ran.code, ran.err]).toEqual([exit, expect.stringContaining(`${said}: ${message}`)]);
  });
});
