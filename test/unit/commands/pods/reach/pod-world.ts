import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, pointedAt, serve, type ScriptedServer } from '../../../../support/servers/scripted-server.ts';
import { type Sshd, startSshd } from '../../../../support/servers/sshd.ts';
import { expectNoKeyNoStack } from '../../../../support/worlds/expect-run.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../../../../support/worlds/test-world.ts';

export const DIRECT = { host: '203.0.113.7', port: 10022, username: 'root', command: 'ssh root@203.0.113.7 -p 10022' };

/** A pod with these addresses for ssh. */
export const podWith = (ssh: unknown, more: object = {}) => ({
  ...{ id: 'p1', name: 'lab', status: 'RUNNING', startedAt: '2026-11-24T10:00:00Z', ports: ['22/tcp'], ssh },
  ...more,
});

/** A pod behind a server of ssh on this machine. */
export const podOf = ({ port, user }: Pick<Sshd, 'port' | 'user'>, more: object = {}) =>
  podWith({ direct: { host: '127.0.0.1', port, username: user, command: '' }, proxy: null }, more);

/** The world with these programs, each a shell script, before those of the system. */
export function withPrograms(world: TestWorld, programs: Readonly<Record<string, string>>): TestWorld {
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(world.directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...world, env: { ...world.env, PATH: `${world.directory}:${world.env['PATH'] ?? ''}` } };
}

/** A file of a world; undefined without it. */
export const written = ({ directory }: TestWorld, name: string): string | undefined =>
  existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : undefined;

interface Reached {
  readonly sshd: Sshd;
  readonly server: ScriptedServer;
  readonly world: TestWorld;
  readonly pods: (...words: readonly string[]) => Promise<Ran>;
}

/** A world with a pod whose server is that of OpenSSH. */
export async function reachedPod(settings: readonly string[] = [], options: TestWorldOptions = {}): Promise<Reached> {
  const sshd = await startSshd(settings);
  const server = await serve([json(podOf(sshd))]);
  const world = createTestWorld({ ...options, env: { ...pointedAt(server.url), ...sshd.env, ...options.env } });
  const pods = async (...words: readonly string[]): Promise<Ran> => {
    const ran = await berthIn(world, ['pods', ...words]);
    expectNoKeyNoStack(ran);
    return ran;
  };
  return { sshd, server, world, pods };
}
