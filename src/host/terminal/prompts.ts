import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { errorCode } from '../../core/files/file-errors.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';
import { keysInSteps, type KeySteps } from './key-steps.ts';
import { InputEnded, plainQuestions } from './plain-questions.ts';
import { matchingChoices, type AskContext, type Questions } from './questions.ts';

/** Where a prompt is shown. Questions are printed on stderr, because stdout is for data. */
type PromptStreams = Pick<Runtime, 'stdin' | 'stderr'>;

type PromptTerminal = Pick<Terminal, 'canAsk' | 'redraws' | 'onSuspend'>;

/** The number of choices that are shown at once. */
const PAGE_SIZE = 12;

/**
 * Creates prompts on a terminal: menus and fields where it redraws, else plain lines. `before` is awaited
 * before each of them. Each fails as that does, with usage (2) when there is no terminal or the input ends before the answer, and
 * with interrupted (130; 143 for SIGTERM and a terminal that was closed).
 */
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
    // A terminal that cannot redraw gives whole lines.
    const [kit, { input, release }]: readonly [Questions, KeySteps] = terminal.redraws
      ? [await import('@inquirer/prompts'), keysInSteps(stdin)]
      : [plainQuestions, { input: stdin, release: () => undefined }];
    const [inputEnd, gone] = [new AbortController(), new AbortController()];
    // A terminal that was closed cannot be read, and its modes cannot be set.
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

/** Whether the terminal of an input was closed: its input ends then, as after Ctrl-D. */
const isClosed = ({ fd }: Input): boolean => fd !== undefined && !process.getBuiltinModule('node:tty').isatty(fd);

/** What takes the place of an answer to yes or no. */
const CONFIRMS = 'Nothing was confirmed. --yes answers it with yes.';

/** A wrong answer does not stay in the line. */
const CLEARED = { validationFailureMode: 'clear' } as const;

/** `y`, `yes`, `n` or `no`, in any case; an empty line is `initial`. Undefined for any other answer. */
function yesOrNo(line: string, initial: boolean): boolean | undefined {
  const answer = line.trim().toLowerCase();
  if (answer === '') return initial;
  if ('yes'.startsWith(answer)) return true;
  return 'no'.startsWith(answer) ? false : undefined;
}

const SHOW_CURSOR = '\u001b[?25h';

/** A prompt may hide the cursor and sets raw mode. It is redrawn with the next key. */
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

/** Makes the text of a choice safe, because it may come from the service. */
const safeChoice = <T>({ name, value, description }: Choice<T>): Choice<T> => ({
  name: safeText(name),
  value,
  ...(description === undefined ? {} : { description: safeText(description) }),
});

/**
 * Calls `onEnd` when the user presses Ctrl-D or the input ends. Both close the line reader of a prompt without ending the
 * prompt, which would wait forever. A closed reader is recognized by its paused input.
 */
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
