import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';
import { json, pointedAt, serve } from '../../../../support/servers/scripted-server.ts';
import { hasSshd, startSshd } from '../../../../support/servers/sshd.ts';
import { podOf } from './pod-world.ts';

const AGAIN = { startedAt: '2026-11-24T11:00:00Z' };

test.skipIf(!hasSshd)(
  'another host key within one start of a pod is refused; that of its next start is accepted',
  async () => {
    const [before, after] = [await startSshd(), await startSshd()];
    before.configure([`IdentityFile "${join(after.folder, '../key')}"`]);
    let pod = podOf(before);
    const server = await serve([
      (exchange) => {
        json(pod)(exchange);
      },
    ]);
    const world = createTestWorld({ env: { ...pointedAt(server.url), ...before.env } });
    const run = (...argv: readonly string[]): Promise<Ran> => berthIn(world, ['pods', ...argv]);
    const touch = (name: string) => run('exec', 'p1', '--', 'touch', join(after.folder, name));
    writeFileSync(join(world.directory, 'file'), 'content');
    const copy = ['cp', 'file', `p1:${after.folder}/copied`];
    expect((await touch('ran')).code).toBe(0);

    pod = podOf(after);
    expect((await touch('again')).code).toBe(3);
    const refused = await run(...copy);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('Host key verification failed')]);
    expect((await run('forward', 'p1', '0:8888')).code).toBe(3);
    expect(['ran', 'again', 'copied'].map((name) => existsSync(join(after.folder, name)))).toEqual([
      true,
      false,
      false,
    ]);

    pod = podOf(after, AGAIN);
    expect((await run(...copy)).code).toBe(0);
    expect(readFileSync(join(after.folder, 'copied'), 'utf8')).toBe('content');
    // The key of the first start is still known for that start.
    pod = podOf(before);
    expect((await touch('ran')).code).toBe(0);
  },
);

test('the host key of NAME.berth is kept within one start, and forgotten at the next one', async () => {
  let pod = podOf({ port: 1, user: 'root' });
  const server = await serve([
    (exchange) => {
      json(exchange.arrival.url.endsWith('/p1') ? pod : { pods: [pod] })(exchange);
    },
  ]);
  const world = createTestWorld({ env: pointedAt(server.url) });
  const data = join(world.directory, 'data');
  const connect = (): Promise<Ran> =>
    berthIn({ ...world, env: { ...world.env, BERTH_DATA_DIR: data } }, ['pods', 'connect', 'p1.berth']);
  await connect();
  const keys = join(data, 'ssh', 'known_hosts.d', 'p1.berth');
  writeFileSync(keys, 'p1.berth ssh-ed25519 AAAA\n');
  await connect();
  expect(readFileSync(keys, 'utf8')).toBe('p1.berth ssh-ed25519 AAAA\n');
  pod = podOf({ port: 1, user: 'root' }, AGAIN);
  await connect();
  expect(existsSync(keys)).toBe(false);
});
