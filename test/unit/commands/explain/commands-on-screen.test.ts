import { expect, test } from 'vitest';
import { commandsIn } from '../../../support/worlds/check-printed-commands.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { stripVTControlCharacters } from 'node:util';

/** The commands of each line of a screen: one that is broken over two lines is not the same. */
const onScreen = (text: string): readonly string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .flatMap((line) => commandsIn(line).map((words) => words.join(' ')));

test.each([
  ['pods', 'explain', 'pod-broken'],
  ['pods', 'wait', 'pod-stopped', '--wait-timeout', '1s'],
])('%s %s %s at 40 columns: each command is whole on one line', async (...argv) => {
  const run = async (tty: boolean): Promise<readonly string[]> => {
    const world = createTestWorld({ tty, columns: 40, env: { NO_COLOR: '1' } });
    const { out, err } = await berthIn(world, ['--local', ...argv]);
    return onScreen(out + err);
  };
  const piped = await run(false);
  expect(piped.length).toBeGreaterThan(0);
  expect(await run(true)).toEqual(piped);
});
