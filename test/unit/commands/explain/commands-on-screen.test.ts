import { describe, expect, it } from 'vitest';
import { commandsIn } from '../../../support/worlds/check-printed-commands.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';
import { stripVTControlCharacters } from 'node:util';

/** The commands of each line of a screen: one that is broken over two lines is not the same. */
const onScreen = (text: string): readonly string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .flatMap((line) => commandsIn(line).map((words) => words.join(' ')));

const EXPLAINED = [
  ['pods', 'explain', 'pod-broken'],
  ['pods', 'wait', 'pod-stopped', '--wait-timeout', '1s'],
];

describe.each([40])('on a terminal of %s columns', (columns) => {
  it.each(EXPLAINED)('%s %s %s: each command is whole on one line', async (...argv) => {
    const run = async (tty: boolean): Promise<readonly string[]> => {
      const world = createTestWorld({ tty, columns, env: { NO_COLOR: '1' } });
      const { out, err } = await berthIn(world, ['--local', ...argv]);
      return onScreen(out + err);
    };
    const piped = await run(false);
    expect(piped.length).toBeGreaterThan(0);
    expect(await run(true)).toEqual(piped);
  });
});

it.each([80])('what a shell makes of a command that is named stays on its line at %s columns', async (columns) => {
  const world = createTestWorld({ tty: true, columns, env: { NO_COLOR: '1' } });
  const create = 'pods create --name lab --cpu cpu-general --vcpu 4 --image a/b:1 --wait --yes -o id';
  const id = (await berthIn(world, ['--local', ...create.split(' ')])).out.trim();
  const { code, err } = await berthIn(world, ['--local', 'pods', 'exec', id, '--', 'ls']);
  const command = `berth --local pods update ${id} --port 22/tcp --env PUBLIC_KEY="$(cat ~/.ssh/id_ed25519.pub)"`;
  expect([code, stripVTControlCharacters(err).split('\n')]).toEqual([2, expect.arrayContaining([`     ${command}`])]);
});

it('a job that waits for workers that a person has stopped: all commands of its cure', async () => {
  for (const columns of [40]) {
    const world = createTestWorld({ tty: { stdout: true, stderr: true }, columns, env: { NO_COLOR: '1' } });
    await berthIn(world, ['--local', 'endpoints', 'update', 'sleep', '--workers-max', '0']);
    const submitted = await berthIn(world, ['--local', 'jobs', 'run', 'sleep', '--input', '{"seconds":1}', '-o', 'id']);
    const argv = ['--local', 'jobs', 'explain', 'sleep', submitted.out.trim()];
    const { out } = await berthIn(world, argv);
    const { cure } = JSON.parse((await berthIn(world, [...argv, '--json'])).out) as {
      readonly cure: readonly string[];
    };
    expect(onScreen(out)).toEqual(cure.flatMap(onScreen));
    expect(cure.flatMap(onScreen).length).toBeGreaterThan(0);
  }
});
