import type { Choice } from '../../core/context.ts';
import type { Input, Output } from '../runtime/runtime.ts';

/** The streams of a question. It ends with the reason of the signal when that is aborted. */
export interface AskContext {
  readonly input: Input;
  readonly output: Output;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly message: string;
}

/** Returns true, or what is wrong with the answer. */
type Validate = (answer: string) => true | string;

/** One function for each kind of question: the part of @inquirer/prompts that berth uses. */
export interface Questions {
  /**
   * `theme` says whether a wrong answer stays in the line, to be corrected, or is cleared away; `transformer` how a line is
   * shown, also once it is the answer (`isFinal`).
   */
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
  /** A menu. `source` gives the choices that are left after a text. */
  search<T>(
    question: Asked & { readonly pageSize: number; readonly source: (term?: string) => readonly Choice<T>[] },
    on: AskContext,
  ): Promise<T>;
}

/** The choices whose name or description contains a text, in any case. */
export function matchingChoices<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const search = term.toLowerCase();
  return choices.filter((choice) => `${choice.name} ${choice.description ?? ''}`.toLowerCase().includes(search));
}
