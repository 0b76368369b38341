import { Transform } from 'node:stream';
import type * as inquirer from '@inquirer/prompts';
import type { Choice, Prompts, SuspendHooks, Terminal } from '../../core/context.ts';
import { interrupted, usage } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Input, Runtime } from '../runtime/runtime.ts';

interface KeySteps {
  readonly input: Input;
  readonly release: () => void;
}

/** Splits a paste before each control character: a menu finds its matches only after a step's keys. */
function keysInSteps(stdin: Input): KeySteps {
  const steps = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // No byte of a longer character of UTF-8 is a control character.
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
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

/** By name or description, in any case. */
function matchingChoices<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const search = term.toLowerCase();
  return choices.filter((choice) => `${choice.name} ${choice.description ?? ''}`.toLowerCase().includes(search));
}

/** On stderr, because stdout is for data. */
type PromptStreams = Pick<Runtime, 'stdin' | 'stderr'>;

type PromptTerminal = Pick<Terminal, 'canAsk' | 'onSuspend'>;

type Kit = typeof inquirer;
type AskContext = NonNullable<Parameters<Kit['input']>[1]>;

const PAGE_SIZE = 12;

/** Usage (2) without a terminal or at the end of input; interrupted (130; 143 if closed or SIGTERM). */
export function createPrompts(
  streams: () => PromptStreams,
  terminal: PromptTerminal,
  signal: AbortSignal,
  before: () => Promise<void> = () => Promise.resolve(),
): Prompts {
  const ask = async <T>(
    question: (kit: Kit, context: AskContext) => Promise<T>,
    instead = 'Give the value as a flag.',
  ): Promise<T> => {
    if (!terminal.canAsk) throw usage('there is no terminal for a question', instead);
    await before();
    const { stdin, stderr } = streams();
    const kit = await import('@inquirer/prompts');
    const { input, release } = keysInSteps(stdin);
    const [inputEnd, gone] = [new AbortController(), new AbortController()];
    // A closed terminal cannot be read, and its modes cannot be set.
    const onGone = (): void => {
      gone.abort();
    };
    stdin.on('error', onGone);
    const removeEndListeners = onInputEnd(input, () => {
      inputEnd.abort();
    });
    const removeSuspendHooks = terminal.onSuspend(suspendHooks({ stdin, stderr }));
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
      if (inputEnd.signal.aborted) throw usage('the input ended before the answer', instead);
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
function suspendHooks({ stdin, stderr }: PromptStreams): SuspendHooks {
  let raw = false;
  return {
    suspend: () => {
      raw = stdin.isRaw === true;
      if (raw) stdin.setRawMode?.(false);
      stderr.write(SHOW_CURSOR);
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
