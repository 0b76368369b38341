import { berthIn, type Ran } from './run-berth.ts';
import { KEYS, type TestWorld } from './test-world.ts';

/** A question that does not come fails the test, and does not hang it. */
const LIMIT_MS = 20_000;

/** Resolves once stderr has the text. Fails after a limit of real time. */
export async function said(world: TestWorld, text: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!world.err().includes(text)) {
    if (performance.now() > end) throw new Error(`not said: ${JSON.stringify(text)}; stderr: ${world.err()}`);
    await new Promise(setImmediate);
  }
}

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
