import type { Choice } from '../../core/context.ts';
import { interrupted, asError } from '../../core/failure.ts';
import type { AskContext, Questions } from './questions.ts';

/**
 * Questions for a terminal that cannot move its cursor (TERM=dumb). Each is a plain line, and is asked again in full after a
 * wrong answer. They fail with `InputEnded` when the input ends before the answer, and with interrupted (130) after Ctrl-C.
 */
export const plainQuestions: Questions = {
  input: async ({ message, default: initial = '', validate, transformer = (line) => line }, context) => {
    let entered = '';
    const answer = await untilRight(
      context,
      () => (initial === '' ? message : `${message} (${initial})`),
      (line) => {
        entered = line;
        return checked(line === '' ? initial : line, validate);
      },
    );
    // Enter alone leaves nothing on the screen.
    const shown = entered === '' ? transformer(answer, { isFinal: true }) : '';
    if (shown !== '') context.output.write(`${shown}\n`);
    return answer;
  },
  password: ({ message, validate }, context) =>
    untilRight(
      context,
      () => message,
      (line) => checked(line, validate),
      { hidden: true },
    ),
  search: ({ message, pageSize, source }, context) => choose(message, source, pageSize, context),
};

/** The input ended before the answer. */
export class InputEnded extends Error {}

type Answer<T> = { readonly value: T } | { readonly wrong: string };

function checked(answer: string, validate: (answer: string) => true | string): Answer<string> {
  const result = validate(answer);
  return result === true ? { value: answer } : { wrong: result };
}

/**
 * Prints choices with their numbers, at most `pageSize`. The answer is a number, a name, or a text that one choice contains.
 * A text that several contain leaves these, and the question is asked again.
 */
async function choose<T>(
  message: string,
  matching: (term: string) => readonly Choice<T>[],
  pageSize: number,
  context: AskContext,
): Promise<T> {
  let left = matching('');
  return await untilRight(
    context,
    () => `${listOf(left, pageSize)}${message} (number or name)`,
    (line) => {
      const text = line.trim();
      if (text === '') return { wrong: 'Nothing was entered' };
      const found = matching(text);
      const one =
        left.slice(0, pageSize)[Number(text) - 1] ??
        found.find(({ name }) => name === text) ??
        (found.length === 1 ? found[0] : undefined);
      if (one !== undefined) return { value: one.value };
      left = found.length === 0 ? matching('') : found;
      return { wrong: found.length === 0 ? `None of them is "${text}"` : `Several match "${text}"` };
    },
  );
}

function listOf<T>(choices: readonly Choice<T>[], pageSize: number): string {
  const lines = choices
    .slice(0, pageSize)
    .map(({ name, description }, at) => `  ${[`${String(at + 1)})`, name, description].filter(Boolean).join('  ')}\n`);
  const more = choices.length - pageSize;
  return lines.join('') + (more > 0 ? `  and ${String(more)} more: type a part of the name\n` : '');
}

/** Asks until the answer is right. What is wrong is said before the question is asked again. */
async function untilRight<T>(
  context: AskContext,
  question: () => string,
  read: (line: string) => Answer<T>,
  { hidden = false } = {},
): Promise<T> {
  for (;;) {
    const answer = read(await readLine(context, question(), hidden));
    if ('value' in answer) return answer.value;
    context.output.write(`${answer.wrong}\n`);
  }
}

/**
 * Asks for a line. The terminal shows it and lets the user correct it. A hidden line is read key by key, and never shown: the
 * question is printed only when the terminal shows no keys any more.
 */
async function readLine({ input, output, signal }: AskContext, question: string, hidden: boolean): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { PassThrough } = await import('node:stream');
  signal.throwIfAborted();
  // What the reader of a hidden line draws goes nowhere.
  const reader = createInterface(hidden ? { input, output: new PassThrough().resume(), terminal: true } : { input });
  output.write(`${question} `);
  const over = new AbortController();
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('line', resolve);
      reader.once('SIGINT', () => {
        reject(interrupted('SIGINT'));
      });
      reader.once('close', () => {
        reject(new InputEnded());
      });
      const stop = (): void => {
        reject(asError(signal.reason));
      };
      signal.addEventListener('abort', stop, { once: true, signal: over.signal });
    });
  } finally {
    over.abort();
    reader.close();
    if (hidden) output.write('\n');
  }
}
