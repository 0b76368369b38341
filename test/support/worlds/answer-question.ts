import { expect } from 'vitest';
import { berthIn, type Ran } from './run-berth.ts';
import { KEYS, type TestWorld } from './test-world.ts';

/** Resolves once stderr has the text. */
export const said = (world: TestWorld, text: string): Promise<void> =>
  expect.poll(() => world.err(), { interval: 1 }).toContain(text);

/** Waits for a question of a running command, and types these keys. */
export async function answer(world: TestWorld, question: string, ...keys: readonly string[]): Promise<void> {
  await said(world, question);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  await world.type(...keys);
}

/** Runs a command line in a world with a terminal, and answers its question by these keys and Enter. */
export async function answerQuestion(
  world: TestWorld,
  argv: readonly string[],
  question: string,
  ...keys: readonly string[]
): Promise<Ran> {
  const running = berthIn(world, argv);
  await answer(world, question, ...keys, KEYS.enter);
  return await running;
}
