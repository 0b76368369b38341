import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../../../support/worlds/test-world.ts';

/** A machine with these profiles, all of one service; `work` is in use. */
async function machineWith(...names: readonly string[]) {
  const { env } = await remoteService();
  const home = temporaryDirectory();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const profile = {
    'base-url': env['BERTH_BASE_URL'],
    'queue-url': env['BERTH_QUEUE_URL'],
    'api-key': env['BERTH_API_KEY'],
  };
  const profiles = Object.fromEntries(names.map((name) => [name, profile]));
  const document = JSON.stringify({ version: 1, current: 'work', profiles });
  writeFileSync(join(home, 'config.json'), document, { mode: 0o600 });
  return { BERTH_CONFIG_DIR: home };
}

/** Runs a command on a terminal, and answers its question with no. */
async function asked(env: Readonly<Record<string, string>>, line: string): Promise<string> {
  const world = createTestWorld({ tty: true, columns: 200, env });
  const running = berthIn(world, line.split(' '));
  const ended = { at: 0 };
  void running.finally(() => (ended.at += 1));
  while (ended.at === 0 && !/(Continue|to continue)[^]*[?:]/.test(world.err())) await new Promise(setImmediate);
  await world.type(KEYS.ctrlD);
  const { code, err } = await running;
  expect(code, err).toBe(2);
  return err;
}

describe('a question about the account', () => {
  const LINES = [
    ['volumes delete vol-datasets --force', 'to continue'],
    ['pods terminate pod-train', 'Continue'],
    ['volumes update vol-datasets --size 4000', 'Continue'],
  ] as const;

  test('names the profile where there are several, and says what takes the place of an answer', async () => {
    const env = await machineWith('work', 'home');
    for (const [line, question] of LINES) {
      const err = await asked(env, line);
      expect(err).toContain(`${question} on the profile work`);
      expect(err).toContain('--yes');
    }
  });

  test('names no profile where there is one, and none that the variables pass over', async () => {
    for (const [line] of LINES) expect(await asked(await machineWith('work'), line)).not.toContain('on the profile');
    const { env } = await remoteService();
    const both = { ...(await machineWith('work', 'home')), ...env };
    expect(await asked(both, 'pods terminate pod-train')).not.toContain('on the profile');
  });
});

describe('--quiet', () => {
  test.each(['pods stop pod-train', 'local stock set GPU-24G 0', 'local clock advance 1h'])(
    '%s prints nothing, and what is asked for as data all the same',
    async (line) => {
      for (const tty of [false, { stdout: true, stderr: true }]) {
        const { code, out, err } = await createAccount()(`${line} --quiet`, { tty });
        expect([code, out, err.replace('(local service)\n', '')]).toEqual([0, '', '']);
      }
      expect((await createAccount()(`${line} --quiet --json`)).out).toMatch(/^[[{]/);
    },
  );
});
