import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { said } from '../../../support/worlds/answer-question.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** A world whose working directory holds the module, and a command that creates a file when it runs. */
function worldWith(name: string, source: string) {
  const world = createTestWorld();
  writeFileSync(join(world.cwd, name), source);
  const mark = join(world.cwd, 'ran');
  const leave = ['--', process.execPath, '-e', `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`];
  return { world, leave, ran: () => existsSync(mark) };
}

it.each([
  ['number.mjs', 'export default 7;', /exports no function, neither as default nor as handler/],
  ['empty.mjs', '', /exports no function/],
  ['other.mjs', 'export const run = () => 1;', /exports no function/],
  ['broken.mjs', 'export default (', /cannot load the handler module .*: SyntaxError/],
  ['throws.mjs', 'throw new Error("no such card");', /cannot load the handler module .*: no such card/],
  ['missing.mjs', 'import "../not-there.mjs";', /cannot load the handler module .*not-there/],
  ['exits.mjs', 'process.exit(3);', /ended its own thread with exit code 3/],
])('%s is refused before anything is served or run', async (name, source, words) => {
  for (const verb of ['exec', 'serve']) {
    const { world, leave, ran } = worldWith(name, source);
    const { code, out, err } = await berthIn(world, [
      ...['local', verb, '--endpoint', `upper=${name}`],
      ...(verb === 'exec' ? leave : ['--port', '0']),
    ]);
    expect([code, out, ran()]).toEqual([2, '', false]);
    expect(err).toMatch(words);
    expect(err).toContain('endpoint "upper"');
    expect(err).toContain(name);
    expect(err).toContain('-> A handler module exports a function or an async generator, as default or as `handler`');
  }
});

it.each([
  ['plain.mjs', 'export default (input) => input;'],
  ['named.mjs', 'export async function* handler() { yield 1; }'],
  ['common.cjs', 'module.exports = { handler: () => 1 };'],
  ['loud.mjs', 'console.log("loading"); export default () => 1;'],
])('%s is served, and prints nothing while it is tried', async (name, source) => {
  const { world, leave, ran } = worldWith(name, source);
  const { code, err } = await berthIn(world, ['local', 'exec', '--endpoint', `upper=${name}`, ...leave]);
  expect([code, err, ran()]).toEqual([0, '', true]);
});

it.each([
  [['sh', '-c', 'printf "%s\\n" "$@" > ran', 'sh', '--endpoint', 'x', '--json', '-o', '--', '-h']],
  [['--', 'sh', '-c', 'printf "%s\\n" "$@" > ran', 'sh', '--endpoint', 'x', '--json', '-o', '--', '-h']],
])('`local exec` leaves the flags after the name of the command to the command: %j', async (words) => {
  const world = createTestWorld();
  const { code, err } = await berthIn(world, ['local', 'exec', '--no-queue-limits', ...words]);
  expect([code, err]).toEqual([0, '']);
  expect(readFileSync(join(world.cwd, 'ran'), 'utf8')).toBe('--endpoint\nx\n--json\n-o\n--\n-h\n');
});

it('`local exec` refuses an unknown flag before its command, and says how it is written without one', async () => {
  const world = createTestWorld();
  const unknown = await berthIn(world, ['local', 'exec', '--endpont', 'x=y', 'sh']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean --endpoint?')]);
  const none = await berthIn(world, ['local', 'exec', '--reload']);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('Usage: berth local exec [FLAGS] COMMAND...')]);
});

it('`local exec` ends as its command: with its code, with 128 and the number of a signal, with 2 where there is none', async () => {
  const world = createTestWorld({ env: { GIVEN: 'kept' } });
  const exec = async (...words: readonly string[]) => await berthIn(world, ['local', 'exec', '--', ...words]);
  const inPlace = `process.exit(process.cwd() === ${JSON.stringify(world.cwd)} && process.env.GIVEN === 'kept' ? 7 : 1)`;
  expect((await exec(process.execPath, '-e', inPlace)).code).toBe(7);
  expect((await exec(process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")')).code).toBe(137);
  for (const missing of ['no-such-program-here', world.directory])
    expect(await exec(missing)).toMatchObject({ code: 2, err: expect.stringContaining(missing) as string });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s reaches the command of `local exec`, which berth outlives: %i', async (signal, exit) => {
  const world = createTestWorld();
  const words = ['sh', '-c', 'echo > started; exec sleep 600'];
  const running = berthIn(world, ['local', 'exec', '--', ...words]);
  await expect.poll(() => existsSync(join(world.cwd, 'started')), { interval: 5 }).toBe(true);
  world.signal(signal);
  expect((await running).code).toBe(exit);
  expect(world.exits).toEqual([]);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('`local serve` says that it has stopped after %s, which is no error', async (signal, exit) => {
  const world = createTestWorld();
  const running = berthIn(world, ['local', 'serve', '--port', '0']);
  await said(world, 'BERTH_API_KEY');
  world.signal(signal);
  const { code, out, err } = await running;
  expect([code, out.split('\n').length]).toEqual([exit, 2]);
  expect(err.endsWith('\nThe local service has stopped.\n')).toBe(true);
  expect(err).not.toContain('error');
});
