import { berthIn, type Ran } from './run-berth.ts';
import { KEYS, type TestWorld } from './test-world.ts';

/** Runs a command line in a world with a terminal, and answers its question by these keys and Enter. */
export async function answerQuestion(
  world: TestWorld,
  argv: readonly string[],
  question: string,
  ...keys: readonly string[]
): Promise<Ran> {
  const running = berthIn(world, argv);
  while (!world.err().includes(question)) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  await world.type(...keys, KEYS.enter);
  return await running;
}
