import type { Access } from '../../core/access.ts';
import type { Message } from '../../core/message.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import { memberAt, type Json } from '../../core/json.ts';
import { rowsOf, type Result, type View } from '../../output/view.ts';
import type { CommandContext } from './context.ts';
import type { GlobalFlag } from './global-flags.ts';
import type { Params, ValuesOf } from './params.ts';
import type { OutputSchema } from './output-schema.ts';

/** What is said and asked before something is changed for good. */
export interface Confirmation {
  /** The rows that are affected, shown as a table. */
  readonly rows?: { readonly view: View; readonly values: readonly Json[] };
  /** Sentences that say what happens to them. */
  readonly lines: readonly Message[];
  /** A text that the user must type, such as a name; without it, yes or no is asked. */
  readonly typed?: string;
  /** It is about a part: the others would be refused. A dry run then shows its lines, and the requests too. */
  readonly isPartial?: boolean;
  /** What may be typed in its place: an id, where a name is hard to type. */
  readonly orTyped?: string;
}

/** What the help of a command says. */
export interface CommandWords {
  /** One line that begins with a verb, without a final stop. */
  readonly summary: string;
  /** Paragraphs of `--help`. */
  readonly details?: string | undefined;
  /** Pairs of a command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[] | undefined;
}

/** A command as its file declares it. `T` is what `prepare` returns. */
export interface CommandSpec<A extends Params, O extends Params, T> extends CommandWords {
  readonly args?: A;
  readonly options?: O;
  /** The paths that a row of its output has, for `--fields`: undefined where they are not known. */
  readonly fields?: readonly string[] | undefined;
  /** What `--json` prints; undefined for a command that prints text or nothing. Dry runs are described for all commands. */
  readonly output?: OutputSchema | undefined;
  /** Groups of keys of flags: of each group at least one must be given, by a flag or in a file. */
  readonly needed?: readonly (string | readonly string[])[] | undefined;
  /** The command changes something at the service; adds `--dry-run`. */
  readonly writes?: boolean;
  /** The command changes files, settings or processes of this machine. */
  readonly changesMachine?: boolean;
  /** The command destroys something; true when absent for a command that asks (`confirm`). */
  readonly destroys?: boolean;
  /**
   * What the setting `access` must allow, as far as the command line alone tells it: checked before anything is asked, read or
   * opened. By default `full` for a command that writes and destroys, `write` for another that writes, and `read`. Each request is
   * checked again when it is sent.
   */
  readonly needs?: Access | ((values: ValuesOf<A> & ValuesOf<O>) => Access);
  /** The command may start something that costs money. */
  readonly costs?: boolean;
  /** The command always waits for something; commands that wait only with a flag leave it out. */
  readonly waits?: boolean;
  /** Exit codes of its results, beyond the common ones and those that `exitsOf` derives. */
  readonly exits?: readonly ExitCode[];
  /** It ends with the exit code of a program that it runs. */
  readonly exitsAsProgram?: boolean;
  /** The command can be repeated; adds `--watch` and `--interval`. */
  readonly watch?: true | WatchSpec;
  /**
   * Reads what the command is about, before the confirmation and `run`, which both receive it. Not called if the
   * confirmation is needed and impossible, so that a script without `--yes` sends nothing.
   */
  readonly prepare?: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<T>;
  /**
   * `prepare` sends nothing to the service. It is called also if the confirmation is impossible: what does not exist is said
   * before `--yes` is asked for.
   */
  readonly preparesFirst?: boolean;
  /**
   * The command destroys something; adds `--yes`. Returns what is affected (`This purges 3 jobs ...`). It is shown before
   * `run`, and the user must confirm. Undefined if nothing is affected: then nothing is asked.
   */
  readonly confirm?: (
    ctx: CommandContext,
    values: ValuesOf<A> & ValuesOf<O>,
    prepared: T,
  ) => Promise<Message | Confirmation | undefined>;
  /** Whether these values need confirmation; always if absent. Evaluated before anything is sent. */
  readonly confirmWhen?: (values: ValuesOf<A> & ValuesOf<O>, ctx: CommandContext) => boolean;
  readonly run: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>, prepared: T) => Promise<Result>;
}

/** How a command is watched. */
export interface WatchSpec {
  /** True for a result after which nothing can change any more: the watch ends. `first` is that of the first poll. */
  readonly ended?: (result: Result, first: Result) => boolean;
  /** Rings the bell of the terminal at that result. */
  readonly bell?: true;
}

/** The end of a watch of one row or several, by each row. A row that is gone (`ok` is false) has ended. */
export const endedWhen = (test: (row: Json) => boolean): WatchSpec => ({
  ended: (result) =>
    (result.kind === 'one' || result.kind === 'many') &&
    rowsOf(result).every((row) => memberAt(row, 'ok') === false || test(row)),
});

/** A declared command without the types of its values. */
export interface Command extends CommandWords {
  readonly kind: 'command';
  readonly args: Params;
  readonly options: Params;
  readonly fields: readonly string[] | undefined;
  readonly output: OutputSchema | undefined;
  readonly examples: NonNullable<CommandWords['examples']>;
  readonly needed: readonly (readonly string[])[];
  readonly writes: boolean;
  readonly changesMachine: boolean;
  readonly destroys: boolean;
  readonly needs: Access | ((values: Values) => Access) | undefined;
  readonly costs: boolean;
  readonly waits: boolean;
  readonly exits: readonly ExitCode[];
  readonly exitsAsProgram: boolean;
  readonly watch: WatchSpec | undefined;
  readonly preparesFirst: boolean;
  readonly prepare?: (ctx: CommandContext, values: Values) => Promise<unknown>;
  readonly confirm?: (
    ctx: CommandContext,
    values: Values,
    prepared: unknown,
  ) => Promise<Message | Confirmation | undefined>;
  readonly confirmWhen: (values: Values, ctx: CommandContext) => boolean;
  readonly run: (ctx: CommandContext, values: Values, prepared: unknown) => Promise<Result>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Group {
  readonly kind: 'group';
  readonly summary: string;
  readonly details?: string | undefined;
  readonly commands: Readonly<Record<string, Command | Group>>;
}

/** An entry of the registry: what is known of a noun without loading its module. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** The heading of its group in `berth --help`. */
  readonly section: string;
  /** True if most of its commands send no request. */
  readonly offline?: true;
  /** `verb` is the word after the noun, if there is one; a noun may then load only that verb. */
  readonly load: (program: Program, verb?: string) => Promise<Command | Group>;
}

/** All nouns and global flags, for parsing, help and completion. */
export interface Program {
  readonly nouns: readonly Noun[];
  readonly flags: readonly GlobalFlag[];
}

/** Declares a command. `run` receives the values that `args` and `options` declare, parsed and validated. */
export function defineCommand<const A extends Params, const O extends Params, T = undefined>(
  spec: CommandSpec<A, O, T>,
): Command {
  const { prepare, confirm, confirmWhen, run, needs } = spec;
  type Given = ValuesOf<A> & ValuesOf<O>;
  return {
    kind: 'command',
    summary: spec.summary,
    details: spec.details,
    args: spec.args ?? {},
    options: spec.options ?? {},
    fields: spec.fields,
    output: spec.output,
    needed: (spec.needed ?? []).map((group) => (typeof group === 'string' ? [group] : group)),
    examples: spec.examples ?? [],
    writes: spec.writes ?? false,
    changesMachine: spec.changesMachine ?? false,
    destroys: spec.destroys ?? confirm !== undefined,
    costs: spec.costs ?? false,
    waits: spec.waits ?? false,
    exits: spec.exits ?? [],
    exitsAsProgram: spec.exitsAsProgram ?? false,
    preparesFirst: spec.preparesFirst ?? false,
    watch: spec.watch === true ? {} : spec.watch,
    // The casts are sound: callers pass only values that `args` and `options` parsed, and what `prepare` returned.
    needs: typeof needs === 'function' ? (values) => needs(values as Given) : needs,
    ...(prepare === undefined ? {} : { prepare: (ctx, values) => prepare(ctx, values as Given) }),
    ...(confirm === undefined
      ? {}
      : { confirm: (ctx, values, prepared) => confirm(ctx, values as Given, prepared as T) }),
    confirmWhen: (values, ctx) => confirmWhen?.(values as Given, ctx) ?? true,
    run: (ctx, values, prepared) => run(ctx, values as Given, prepared as T),
  };
}

/** Declares a noun with verbs. */
export const defineGroup = (summary: string, commands: Group['commands'], details?: string): Group => ({
  kind: 'group',
  summary,
  commands,
  details,
});
