import type { Result } from '../output/view.ts';
import type { CommandContext } from './context.ts';
import type { GlobalFlag } from './parse/globals.ts';
import type { Params, ValuesOf } from './parse/params.ts';

/** A command as its file states it. */
export interface CommandSpec<A extends Params, O extends Params> {
  /** One line, a verb first, no final stop. */
  readonly summary: string;
  /** Paragraphs for `--help`. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  /** Command line and what it does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** Changes something at the service: gains `--dry-run`. */
  readonly writes?: boolean;
  /** Can be looked at again and again: gains `--watch` and `--interval`. */
  readonly watch?: boolean;
  /**
   * Destroys something: gains `--yes`. Says in one sentence what it will hit (`This purges 3 jobs ...`), asked on a
   * terminal before `run`.
   */
  readonly confirm?: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<string>;
  /** Where not everything needs to be confirmed: what does. Decided by the values alone, before anything is sent. */
  readonly confirmWhen?: (values: ValuesOf<A> & ValuesOf<O>) => boolean;
  readonly run: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<Result>;
}

/** A command as the kit handles it: the same, its types folded away. */
export interface Command {
  readonly kind: 'command';
  readonly summary: string;
  readonly details?: string;
  readonly args: Params;
  readonly options: Params;
  readonly examples: readonly (readonly [string, string])[];
  readonly writes: boolean;
  readonly watch: boolean;
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

/** One line of the registry: known without loading the noun's module. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** The heading it stands under in `berth --help`. */
  readonly section: string;
  /** `verb` is the word right after the noun, where there is one: a noun may then load that verb alone. */
  readonly load: (program: Program, verb?: string) => Promise<Command | Group>;
}

/** All of berth, for what speaks of the whole: help and completion. */
export interface Program {
  readonly nouns: readonly Noun[];
  readonly flags: readonly GlobalFlag[];
}

/** States a command; its `run` receives the values its args and options declare, parsed and checked. */
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
    watch: spec.watch ?? false,
    // The kit only ever hands over values that `args` and `options` parsed: the types hold by construction.
    ...(confirm === undefined ? {} : { confirm: (ctx, values) => confirm(ctx, values as ValuesOf<A> & ValuesOf<O>) }),
    confirmWhen: (values) => confirmWhen?.(values as ValuesOf<A> & ValuesOf<O>) ?? true,
    run: (ctx, values) => run(ctx, values as ValuesOf<A> & ValuesOf<O>),
  };
}

/** States a noun that has verbs. */
export const defineGroup = (summary: string, commands: Group['commands'], details?: string): Group => ({
  kind: 'group',
  summary,
  commands,
  ...(details === undefined ? {} : { details }),
});
