/** The terminal that berth runs in. */
export interface Terminal {
  /** stdout is a terminal, which a person reads: tables have borders and footers. */
  readonly output: boolean;
  /** stdout was closed at the start: what is written to it is lost without an error. */
  readonly outputClosed: boolean;
  /** stderr is a terminal, which a person reads: notes are shown. */
  readonly errors: boolean;
  /** Terminals can move their cursor: live views on stdout redraw, and spinners on stderr turn. */
  readonly redraws: boolean;
  /** Questions are possible: stdin and stderr are terminals, and `--no-input` was not given. */
  readonly canAsk: boolean;
  /** Columns of the terminal on stdout; undefined when stdout is not a terminal. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Columns of the terminal on stderr; undefined when stderr is not a terminal. */
  readonly errorColumns: number | undefined;
  readonly colour: { readonly output: boolean; readonly errors: boolean };
  /**
   * Calls the hooks before the terminal stops (Ctrl-Z) or ends (Ctrl-\\) the process, and when the process continues.
   * Code that hides the cursor needs this. Returns a function that removes the hooks.
   */
  onSuspend(hooks: SuspendHooks): () => void;
  /**
   * Hands the terminal to a live view until `release` is called: keys are read one by one and not shown, and the view
   * learns of a new size. Ctrl-C, Ctrl-Z and Ctrl-\\ do what they always do. When this process is killed meanwhile, the
   * terminal gets its modes back and `restore` is written to it.
   */
  takeOver(view: LiveHooks): Promise<TakenTerminal>;
}

/** What a live view gives to the terminal that it takes over. */
export interface LiveHooks extends SuspendHooks {
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
  /** Control sequences that undo those of the view. */
  readonly restore: string;
}

export interface TakenTerminal {
  /** Whether keys are read: stdin is a terminal, and `--no-input` was not given. */
  readonly hasKeys: boolean;
  /** Gives the terminal its modes back. Finishes before it returns. */
  release(): void;
}

/** A key of the keyboard. */
export interface Key {
  /** `up`, `down`, `left`, `right`, `pageup`, `pagedown`, `home`, `end`, `enter`, `escape`, `backspace`, `tab`; else the character. */
  readonly name: string;
  /** The character that the key types, if it types one. It may come from a paste: any printable text. */
  readonly text: string | undefined;
}

/** Both hooks must finish before they return: right after `suspend` the process is stopped or gone. */
export interface SuspendHooks {
  readonly suspend: () => void;
  readonly resume: () => void;
}

/**
 * Runs work that never yields to the event loop, so that no signal handler could run. Ctrl-C ends the work with
 * interrupted (130); SIGTERM ends the process at once.
 */
export type Blocking = <T>(work: () => T) => T;

/** An output stream for text. A write resolves when the bytes are taken. A closed pipe or a full disk is a Failure. */
export interface Sink<T extends string = string> {
  write(text: T): Promise<void>;
}

/** One option of a selection prompt. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/**
 * How a text is asked for. With `clearsWrong` a wrong answer does not stay in the line to be corrected. `instead` is the hint
 * where no answer comes.
 */
export interface TextOptions {
  readonly initial?: string;
  readonly check?: (value: string) => string | undefined;
  readonly clearsWrong?: boolean;
  readonly instead?: string;
}

/** Questions to the user. Allowed only when `terminal.canAsk`. Ctrl-C during a question throws the interrupted Failure. */
export interface Prompts {
  text(message: string, options?: TextOptions): Promise<string>;
  /** Masked: the characters are never shown. */
  secret(message: string): Promise<string>;
  /** Yes or no, asked again after any other answer. Enter alone gives `initial`, which is no unless it is said. */
  confirm(message: string, initial?: boolean): Promise<boolean>;
  /** A menu. What the user types leaves the choices that contain it. */
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
}
