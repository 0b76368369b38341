import { describe, expect, it } from 'vitest';
import type { Prompts } from '../../../../src/core/context.ts';
import { interrupted } from '../../../../src/core/failure.ts';
import { createPrompts } from '../../../../src/host/terminal/prompts.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

function open(canAsk = true): { world: TestWorld; prompts: Prompts; stop: AbortController } {
  const world = createTestWorld({ tty: true });
  const stop = new AbortController();
  return {
    world,
    stop,
    prompts: createPrompts(world, { canAsk }, stop.signal),
  };
}

/** Types the keys when the question is shown. */
async function answer(world: TestWorld, question: string, ...keys: readonly string[]): Promise<void> {
  while (!world.err().includes(question)) await new Promise(setImmediate);
  await world.type(...keys);
}

const choices = (count: number): { name: string; value: number }[] =>
  Array.from({ length: count }, (_, value) => ({ name: `choice ${String(value)}`, value }));

describe('a question', () => {
  it('returns the typed line, or the default', async () => {
    const { world, prompts } = open();
    const [name] = await Promise.all([prompts.text('Name?'), answer(world, 'Name?', 'ada', KEYS.enter)]);
    const [size] = await Promise.all([prompts.text('Size?', { initial: '10' }), answer(world, 'Size?', KEYS.enter)]);
    expect([name, size]).toEqual(['ada', '10']);
    expect(world.out()).toBe('');
  });

  it('asks again after an invalid answer', async () => {
    const { world, prompts } = open();
    const check = (value: string): string | undefined => (value === 'no!' ? undefined : 'Not that one');
    const [said] = await Promise.all([
      prompts.text('Word?', { check }),
      answer(world, 'Word?', 'no', KEYS.enter, '!', KEYS.enter),
    ]);
    expect(said).toBe('no!');
    expect(world.err()).toContain('Not that one');
  });

  it('never shows a secret', async () => {
    const { world, prompts } = open();
    const secret = 'QZXJKVWYQZXJ';
    const [said] = await Promise.all([
      prompts.secret('Key?'),
      answer(world, 'Key?', ...Array.from(secret), KEYS.enter),
    ]);
    expect(said).toBe(secret);
    expect(world.err() + world.out()).not.toMatch(/[QZXJVW]/);
  });

  it('accepts yes and no', async () => {
    const { world, prompts } = open();
    const [yes] = await Promise.all([prompts.confirm('Sure?'), answer(world, 'Sure?', 'y', KEYS.enter)]);
    const [no] = await Promise.all([prompts.confirm('Really?'), answer(world, 'Really?', KEYS.enter)]);
    expect([yes, no]).toEqual([true, false]);
    expect([world.err().includes('Yes'), world.err().includes('No')]).toEqual([true, true]);
  });

  it('selects from a short list with arrow keys, and from a long one by typing', async () => {
    const { world, prompts } = open();
    const [short] = await Promise.all([
      prompts.select('Which?', choices(3)),
      answer(world, 'Which?', KEYS.down, KEYS.enter),
    ]);
    const [long] = await Promise.all([
      prompts.select('Which of many?', choices(40)),
      answer(world, 'Which of many?', ...Array.from('choice 33'), KEYS.enter),
    ]);
    expect([short, long]).toEqual([1, 33]);
  });
});

describe('a question without an answer', () => {
  it('ends 130 after Ctrl-C', async () => {
    const { world, prompts } = open();
    const asked = prompts.secret('Key?');
    await Promise.all([expect(asked).rejects.toMatchObject({ exit: 130 }), answer(world, 'Key?', 'abc', KEYS.ctrlC)]);
  });

  it('ends 2 after Ctrl-D or the end of the input, and does not hang', async () => {
    const first = open();
    await Promise.all([
      expect(first.prompts.text('Name?')).rejects.toMatchObject({ exit: 2 }),
      answer(first.world, 'Name?', KEYS.ctrlD),
    ]);
    const second = open();
    const asked = expect(second.prompts.text('Name?')).rejects.toMatchObject({ exit: 2 });
    await answer(second.world, 'Name?');
    second.world.stdin.push(null);
    await asked;
  });

  it('ends 143 after SIGTERM', async () => {
    const { world, prompts, stop } = open();
    const asked = expect(prompts.confirm('Sure?')).rejects.toMatchObject({ exit: 143 });
    await answer(world, 'Sure?');
    stop.abort(interrupted('SIGTERM'));
    await asked;
  });

  it('ends 2 without a terminal, and nothing is asked', async () => {
    const { world, prompts } = open(false);
    await expect(prompts.text('Name?')).rejects.toMatchObject({ exit: 2 });
    expect(world.err()).toBe('');
  });
});
