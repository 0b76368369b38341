import type { Json } from '../core/json.ts';
import type { Result } from '../output/view.ts';
import type { CommandContext } from './context.ts';
import type { GlobalFlag } from './parse/globals.ts';
import type { Params, ValuesOf } from './parse/params.ts';

/** A command as its file declares it. */
export interface CommandSpec<A extends Params, O extends Params> {
  /** One line that begins with a verb, without a final stop. */
  readonly summary: string;
  /** Paragraphs of `--help`. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  /** Pairs of a command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** The command changes something at the service; adds `--dry-run`. */
  readonly writes?: boolean;
  /** The command can be repeated; adds `--watch` and `--interval`. */
  readonly watch?: true | WatchSpec;
  /**
   * The command destroys something; adds `--yes`. Returns one sentence that says what is affected (`This purges 3 jobs
   * ...`). It is shown before `run`, and the user must confirm.
   */
  readonly confirm?: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<string>;
  /** Whether these values need confirmation; always if absent. Evaluated before anything is sent. */
  readonly confirmWhen?: (values: ValuesOf<A> & ValuesOf<O>) => boolean;
  readonly run: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<Result>;
}

/** How a command is watched. */
export interface WatchSpec {
  /** True for a result after which nothing can change any more: the watch ends. `first` is that of the first poll. */
  readonly ended?: (result: Result, first: Result) => boolean;
}

/** The end of a watch of one row, by that row. */
export const endedWhen = (test: (row: Json) => boolean): WatchSpec => ({
  ended: (result) => result.kind === 'one' && test(result.value),
});

/** A declared command without the types of its values. */
export interface Command {
  readonly kind: 'command';
  readonly summary: string;
  readonly details?: string;
  readonly args: Params;
  readonly options: Params;
  readonly examples: readonly (readonly [string, string])[];
  readonly writes: boolean;
  readonly watch: WatchSpec | undefined;
  readonly confirm?: (ctx: CommandContext, values: Values) => Promise<string>;
  readonly confirmWhen: (values: Values) => boolean;
  readonly run: (ctx: CommandContext, values: Values) => Promise<Result>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Group {
  readonly kind: 'group';
  readonly summary: string;
  readonly details?: string;
  readonly commands: Readonly<Record<string, Command | Group>>;
}

/** An entry of the registry: what is known of a noun without loading its module. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** The heading of its group in `berth --help`. */
  readonly section: string;
  /** `verb` is the word after the noun, if there is one; a noun may then load only that verb. */
  readonly load: (program: Program, verb?: string) => Promise<Command | Group>;
}

/** All nouns and global flags, for parsing, help and completion. */
export interface Program {
  readonly nouns: readonly Noun[];
  readonly flags: readonly GlobalFlag[];
}

/** Declares a command. `run` receives the values that `args` and `options` declare, parsed and validated. */
export function defineCommand<const A extends Params, const O extends Params>(spec: CommandSpec<A, O>): Command {
  const { confirm, confirmWhen, run } = spec;
  return {
    kind: 'command',
    summary: spec.summary,
    ...(spec.details === undefined ? {} : { details: spec.details }),
    args: spec.args ?? {},
    options: spec.options ?? {},
    examples: spec.examples ?? [],
    writes: spec.writes ?? false,
    watch: spec.watch === true ? {} : spec.watch,
    // The casts are sound: callers pass only values that `args` and `options` parsed.
    ...(confirm === undefined ? {} : { confirm: (ctx, values) => confirm(ctx, values as ValuesOf<A> & ValuesOf<O>) }),
    confirmWhen: (values) => confirmWhen?.(values as ValuesOf<A> & ValuesOf<O>) ?? true,
    run: (ctx, values) => run(ctx, values as ValuesOf<A> & ValuesOf<O>),
  };
}

/** Declares a noun with verbs. */
export const defineGroup = (summary: string, commands: Group['commands'], details?: string): Group => ({
  kind: 'group',
  summary,
  commands,
  ...(details === undefined ? {} : { details }),
});
