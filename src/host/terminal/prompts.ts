import { Transform } from 'node:stream';
import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { asError, interrupted, usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Output, Runtime } from '../runtime/runtime.ts';

interface KeySteps {
  readonly input: Input;
  readonly release: () => void;
}

/** Splits a paste before each control character: a menu finds its matches only after a step's keys. */
function keysInSteps(stdin: Input): KeySteps {
  const steps = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // No byte of a longer character of UTF-8 is a control character.
      // eslint-disable-next-line no-control-regex -- they are what is looked for
      const parts = chunk.toString('latin1').split(/(?=[\0-\x1f\x7f])/);
      const next = (): void => {
        const part = parts.shift();
        if (part === undefined) {
          done();
          return;
        }
        this.push(Buffer.from(part, 'latin1'));
        setImmediate(next);
      };
      next();
    },
  });
  stdin.pipe(steps);
  return {
    input: Object.assign(steps, { setRawMode: (raw: boolean) => stdin.setRawMode?.(raw) }),
    release: () => {
      stdin.unpipe(steps);
      stdin.pause();
    },
  };
}

/** For TERM=dumb: asked again after a wrong answer. `InputEnded` at the end of input; Ctrl-C: 130. */
const plainQuestions: Questions = {
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

class InputEnded extends Error {}

type Answer<T> = { readonly value: T } | { readonly wrong: string };

function checked(answer: string, validate: (answer: string) => true | string): Answer<string> {
  const result = validate(answer);
  return result === true ? { value: answer } : { wrong: result };
}

/** Accepts a number, a name, or a part of one choice; a part of several narrows the choices. */
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

/** A hidden line is printed only once the terminal has stopped echoing keys. */
async function readLine({ input, output, signal }: AskContext, question: string, hidden: boolean): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { PassThrough } = await import('node:stream');
  signal.throwIfAborted();
  // The reader of a hidden line must not draw.
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

interface AskContext {
  readonly input: Input;
  readonly output: Output;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly message: string;
}

/** True, or what is wrong with the answer. */
type Validate = (answer: string) => true | string;

/** The part of @inquirer/prompts that berth uses. */
interface Questions {
  /** `theme`: a wrong answer stays or is cleared. `transformer`: display of the line, also when `isFinal`. */
  input(
    question: Asked & {
      readonly default?: string;
      readonly validate: Validate;
      readonly transformer?: (line: string, state: { readonly isFinal: boolean }) => string;
      readonly theme?: { readonly validationFailureMode: 'keep' | 'clear' };
    },
    on: AskContext,
  ): Promise<string>;
  password(question: Asked & { readonly mask: string; readonly validate: Validate }, on: AskContext): Promise<string>;
  /** `source` filters the choices by a text. */
  search<T>(
    question: Asked & { readonly pageSize: number; readonly source: (term?: string) => readonly Choice<T>[] },
    on: AskContext,
  ): Promise<T>;
}

/** By name or description, in any case. */
function matchingChoices<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const search = term.toLowerCase();
  return choices.filter((choice) => `${choice.name} ${choice.description ?? ''}`.toLowerCase().includes(search));
}

/** On stderr, because stdout is for data. */
type PromptStreams = Pick<Runtime, 'stdin' | 'stderr'>;

type PromptTerminal = Pick<Terminal, 'canAsk' | 'redraws' | 'onSuspend'>;

const PAGE_SIZE = 12;

/** Usage (2) without a terminal or at the end of input; interrupted (130; 143 if closed or SIGTERM). */
export function createPrompts(
  streams: () => PromptStreams,
  terminal: PromptTerminal,
  signal: AbortSignal,
  before: () => Promise<void> = () => Promise.resolve(),
): Prompts {
  const ask = async <T>(
    question: (kit: Questions, context: AskContext) => Promise<T>,
    instead = 'Give the value as a flag.',
  ): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal for a question', instead);
    await before();
    const { stdin, stderr } = streams();
    const [kit, { input, release }]: readonly [Questions, KeySteps] = terminal.redraws
      ? [await import('@inquirer/prompts'), keysInSteps(stdin)]
      : [plainQuestions, { input: stdin, release: () => undefined }];
    const [inputEnd, gone] = [new AbortController(), new AbortController()];
    // A closed terminal cannot be read, and its modes cannot be set.
    const onGone = (): void => {
      gone.abort();
    };
    stdin.on('error', onGone);
    const removeEndListeners = onInputEnd(input, () => {
      inputEnd.abort();
    });
    const removeSuspendHooks = terminal.onSuspend(suspendHooks({ stdin, stderr }, terminal));
    try {
      return await question(kit, {
        input,
        output: stderr,
        signal: AbortSignal.any([signal, inputEnd.signal, gone.signal]),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // Its signal may come later.
      if (gone.signal.aborted || errorCode(error) === 'EIO' || isClosed(stdin)) throw interrupted('SIGHUP');
      if (inputEnd.signal.aborted || error instanceof InputEnded)
        throw usage('the input ended before the answer', instead);
      if (error instanceof Error && error.name === 'ExitPromptError') throw interrupted('SIGINT');
      throw error;
    } finally {
      removeEndListeners();
      removeSuspendHooks();
      release();
      stdin.off('error', onGone);
    }
  };
  return {
    text: (message, { initial, check, clearsWrong = false, instead } = {}) =>
      ask(
        (kit, context) =>
          kit.input(
            {
              message,
              ...(initial === undefined ? {} : { default: initial }),
              validate: (value) => check?.(value) ?? true,
              ...(clearsWrong ? { theme: CLEARED } : {}),
            },
            context,
          ),
        instead,
      ),
    secret: (message) =>
      ask((kit, context) =>
        kit.password(
          { message, mask: '*', validate: (value) => (value.trim() === '' ? 'Nothing was entered' : true) },
          context,
        ),
      ),
    confirm: async (message, initial = false) => {
      const question = {
        message: `${message} (${initial ? 'Y/n' : 'y/N'})`,
        validate: (line: string) => yesOrNo(line, initial) !== undefined || 'Answer y or n',
        transformer: (line: string, { isFinal }: { readonly isFinal: boolean }) =>
          isFinal ? (yesOrNo(line, initial) ? 'Yes' : 'No') : line,
        theme: CLEARED,
      };
      return yesOrNo(await ask((kit, context) => kit.input(question, context), CONFIRMS), initial) ?? false;
    },
    select: (message, choices) => {
      const safe = choices.map(safeChoice);
      return ask((kit, context) =>
        kit.search({ message, pageSize: PAGE_SIZE, source: (term) => matchingChoices(safe, term ?? '') }, context),
      );
    },
  };
}

/** The input of a closed terminal ends as after Ctrl-D. */
const isClosed = ({ fd }: Input): boolean => fd !== undefined && !process.getBuiltinModule('node:tty').isatty(fd);

const CONFIRMS = 'Nothing was confirmed. --yes answers it with yes.';

const CLEARED = { validationFailureMode: 'clear' } as const;

/** In any case; an empty line is `initial`. Undefined for any other answer. */
function yesOrNo(line: string, initial: boolean): boolean | undefined {
  const answer = line.trim().toLowerCase();
  if (answer === '') return initial;
  if ('yes'.startsWith(answer)) return true;
  return 'no'.startsWith(answer) ? false : undefined;
}

const SHOW_CURSOR = '\u001b[?25h';

/** A prompt may hide the cursor and sets raw mode. The next key redraws it. */
function suspendHooks({ stdin, stderr }: PromptStreams, { redraws }: PromptTerminal): SuspendHooks {
  let raw = false;
  return {
    suspend: () => {
      raw = stdin.isRaw === true;
      if (raw) stdin.setRawMode?.(false);
      if (redraws) stderr.write(SHOW_CURSOR);
    },
    resume: () => {
      if (raw) stdin.setRawMode?.(true);
    },
  };
}

/** Its text may come from the service. */
const safeChoice = <T>({ name, value, description }: Choice<T>): Choice<T> => ({
  name: safeText(name),
  value,
  ...(description === undefined ? {} : { description: safeText(description) }),
});

/** Ctrl-D closes the line reader but not the prompt, which would wait forever. Paused input shows it. */
function onInputEnd(input: Input, onEnd: () => void): () => void {
  const onKey = (_text: string | undefined, pressed: { readonly ctrl?: boolean; readonly name?: string }): void => {
    // The line reader handles the key after this listener.
    if (pressed.ctrl === true && pressed.name === 'd')
      queueMicrotask(() => {
        if (input.isPaused()) onEnd();
      });
  };
  input.on('keypress', onKey);
  input.once('end', onEnd);
  return () => {
    input.off('keypress', onKey);
    input.off('end', onEnd);
  };
}
