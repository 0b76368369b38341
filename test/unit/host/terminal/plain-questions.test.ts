import { expect, it } from 'vitest';
import type { Prompts } from '../../../../src/core/context.ts';
import { createPrompts } from '../../../../src/host/terminal/prompts.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

const SUGGESTED = { initial: '10' } as const;
const CHOICES = Array.from({ length: 15 }, (_, value) => ({ name: `size-${String(value)}`, value }));

/** Asks on a terminal that cannot redraw. Gives one line at a time, each after the question was printed. */
async function ask<T>(
  question: (prompts: Prompts) => Promise<T>,
  lines: readonly string[],
): Promise<{ readonly answer: T | number; readonly screen: string }> {
  const { world, prompts } = open();
  const answer = question(prompts).catch((error: unknown) => (error as { exit: number }).exit);
  let shown = 0;
  for (const line of lines) {
    while (world.err().length === shown || !world.err().endsWith(' ')) await new Promise(setImmediate);
    shown = world.err().length;
    await world.type(line);
  }
  return { answer: await answer, screen: world.err() };
}

function open(): { readonly world: TestWorld; readonly prompts: Prompts } {
  const world = createTestWorld({ tty: true });
  const terminal = { canAsk: true, redraws: false, onSuspend: () => () => undefined };
  return { world, prompts: createPrompts(() => world, terminal, new AbortController().signal) };
}

const even = (value: string): string | undefined => (Number(value) % 2 === 0 ? undefined : 'Not an even number');

it.each<[string, (prompts: Prompts) => Promise<unknown>, readonly string[], unknown, string]>([
  ['a text', (to) => to.text('Name?'), ['ada lovelace\n'], 'ada lovelace', 'Name? '],
  ['the suggested text', (to) => to.text('Size?', SUGGESTED), ['\n'], '10', 'Size? (10) 10\n'],
  [
    'a text after a wrong one, of which nothing is left',
    (to) => to.text('Count?', { check: even }),
    ['3\n', '4\n'],
    '4',
    'Count? Not an even number\nCount? ',
  ],
  ['yes', (to) => to.confirm('Sure?'), ['y\n'], true, 'Sure? (y/N) '],
  ['no, which is suggested', (to) => to.confirm('Sure?'), ['\n'], false, 'Sure? (y/N) No\n'],
  ['yes, which is suggested', (to) => to.confirm('Sure?', true), ['\n'], true, 'Sure? (Y/n) Yes\n'],
  [
    'no after an answer that is neither',
    (to) => to.confirm('Sure?', true),
    ['perhaps\n', 'No\n'],
    false,
    'Sure? (Y/n) Answer y or n\nSure? (Y/n) ',
  ],
  [
    'a choice by its number',
    (to) => to.select('Which?', CHOICES.slice(0, 2)),
    ['2\n'],
    1,
    '  1)  size-0\n  2)  size-1\nWhich? (number or name) ',
  ],
  [
    'a choice by its name, of which another is the beginning',
    (to) =>
      to.select(
        'Which?',
        [CHOICES[1], CHOICES[10]].flatMap((each) => each ?? []),
      ),
    ['7\n', 'size-1\n'],
    1,
    '  1)  size-1\n  2)  size-10\nWhich? (number or name) None of them is "7"\n  1)  size-1\n  2)  size-10\nWhich? (number or name) ',
  ],
])('TERM=dumb: asks for %s as a plain line, in full each time', async (_, question, lines, answer, screen) => {
  expect(await ask(question, lines)).toEqual({ answer, screen });
});

it('TERM=dumb: a long list shows its first choices, and a part of a name leaves those that contain it', async () => {
  const { answer, screen } = await ask((to) => to.select('Which?', CHOICES), ['size-1\n']);
  expect(answer).toBe(1);
  expect(screen).toContain(' 12)  size-11\n  and 3 more: type a part of the name\nWhich? (number or name) ');
  const narrowed = await ask((to) => to.select('Which?', CHOICES), ['-1\n', '3\n']);
  expect(narrowed.answer).toBe(11);
  expect(narrowed.screen).toMatch(/Several match "-1"\n {2}1\) {2}size-1\n {2}2\) {2}size-10\n {2}3\) {2}size-11\n/);
});

it('TERM=dumb: a secret is never shown, and asked for again when it is empty', async () => {
  expect(await ask((to) => to.secret('Key?'), ['\n', 'QZXJKV\n'])).toEqual({
    answer: 'QZXJKV',
    screen: 'Key? \nNothing was entered\nKey? \n',
  });
});

it.each<[string, (prompts: Prompts) => Promise<unknown>, string, number]>([
  ['Ctrl-C in a secret ends 130', (to) => to.secret('Key?'), KEYS.ctrlC, 130],
  ['Ctrl-D in a secret ends 2', (to) => to.secret('Key?'), KEYS.ctrlD, 2],
])('TERM=dumb: %s', async (_, question, key, exit) => {
  expect((await ask(question, [key])).answer).toBe(exit);
});

it('TERM=dumb: the end of the input ends 2', async () => {
  const { world, prompts } = open();
  const asked = expect(prompts.text('Name?')).rejects.toMatchObject({ exit: 2 });
  while (!world.err().endsWith(' ')) await new Promise(setImmediate);
  world.stdin.push(null);
  await asked;
});

it('a question for a secret is printed only when the terminal shows no keys any more', async () => {
  const { world, prompts } = open();
  const printedWhen: string[] = [];
  Object.assign(world.stdin, {
    setRawMode: (isRaw: boolean) => {
      if (isRaw) printedWhen.push(world.err());
    },
  });
  const answer = prompts.secret('API key');
  while (!world.err().endsWith(' ')) await new Promise(setImmediate);
  await world.type('k\n');
  expect([await answer, printedWhen[0], world.err()]).toEqual(['k', '', expect.stringMatching(/^API key \n?$/)]);
});
