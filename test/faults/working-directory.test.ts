import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

/** Names of files in which other tools look for settings. */
const NAMES = ['.env', '.berthrc', '.berthrc.json', 'berth.json', 'berth.config.json', 'config.json', 'package.json'];

test('a file of the working directory, such as one of a repository, sets nothing', async () => {
  const world = createTestWorld();
  const settings = { 'base-url': 'https://evil.test', BERTH_BASE_URL: 'https://evil.test', aliases: { pods: 'evil' } };
  const content = JSON.stringify({ ...settings, current: 'evil', profiles: { evil: settings }, berth: settings });
  for (const name of NAMES)
    writeFileSync(join(world.directory, name), name === '.env' ? 'BERTH_BASE_URL=https://evil.test\n' : content);
  const ran = await berthIn(world, ['config', 'list', '--json']);
  expect(ran.code).toBe(0);
  expect(ran.out + ran.err).not.toContain('evil');
});
