import type { CommandContext } from './context.ts';
import type { OutputSchema } from './output-schema.ts';
import { onlyWith, option, type Param, type Params, type ValuesOf } from './params.ts';
import type { Access } from '../../core/access.ts';
import { webAddress } from '../../core/addresses.ts';
import { EXIT, EXIT_CODES, type ExitCode } from '../../core/exit-codes.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { type Result, rowsOf } from '../../output/view.ts';
import { verbOf } from '../words.ts';

export interface CommandWords {
  /** Begins with a verb, without a final stop. */
  readonly summary: string;
  /** For berth itself or tests: not shown in help and completion. */
  readonly hidden?: boolean | undefined;
  readonly details?: string | undefined;
  readonly examples?: readonly (readonly [string, string])[] | undefined;
}

interface Described extends CommandWords {
  readonly fields?: readonly string[] | undefined;
  /** What `--json` prints, made where it is asked for; undefined for text or nothing. Does not cover dry runs. */
  readonly output?: (() => OutputSchema) | undefined;
  /** Changes something at the service; adds `--dry-run`. */
  readonly writes?: boolean | undefined;
  readonly changesMachine?: boolean;
  readonly destroys?: boolean | undefined;
  readonly costs?: boolean | undefined;
  /** Only for commands that always wait, not for those that wait with a flag. */
  readonly waits?: boolean;
  /** Adds `--notify`, as a `waitTimeout` does. */
  readonly notifies?: boolean;
  /** Beyond the common ones and those that `exitsOf` derives. */
  readonly exits?: readonly ExitCode[] | undefined;
  readonly exitsAsProgram?: boolean;
}

/** `options` are those of its own. */
interface CommandSpec<A extends Params, O extends Params> extends Described {
  readonly args?: A;
  readonly options?: O;
  /** Flag keys: of each group at least one must be given, by a flag or in a file. */
  readonly needed?: readonly (string | readonly string[])[] | undefined;
  /** Checked before anything is asked or opened. Default by `writes` and `destroys`: full, write or read. */
  readonly needs?: Access | ((values: ValuesOf<A> & ValuesOf<O>) => Access);
  /** Adds `--watch` and `--interval`. */
  readonly watch?: true | WatchSpec;
  readonly run: (ctx: CommandContext, values: ValuesOf<A> & ValuesOf<O>) => Promise<Result>;
}

export interface WatchSpec {
  /** Nothing can change any more: the watch ends. `first` is the result of the first poll. */
  readonly ended?: (result: Result, first: Result) => boolean;
  /** Rings the terminal bell at that result. */
  readonly bell?: true;
}

/** Tested for each row. A row that is gone (`ok` is false) has ended. */
export const endedWhen = (test: (row: Json) => boolean): WatchSpec => ({
  ended: (result) =>
    (result.kind === 'one' || result.kind === 'many') &&
    rowsOf(result).every((row) => memberAt(row, 'ok') === false || test(row)),
});

export interface Command extends Described {
  readonly kind: 'command';
  readonly args: Params;
  readonly options: Params;
  readonly examples: NonNullable<CommandWords['examples']>;
  readonly needed: readonly (readonly string[])[];
  readonly needs: Access | ((values: Values) => Access) | undefined;
  readonly watch: WatchSpec | undefined;
  readonly run: (ctx: CommandContext, values: Values) => Promise<Result>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Group {
  readonly kind: 'group';
  readonly summary: string;
  readonly details?: string | undefined;
  readonly commands: Readonly<Record<string, Command | Group>>;
}

/** The verbs that help and completion show. */
export const shownVerbs = (group: Group): readonly (readonly [string, Command | Group])[] =>
  Object.entries(group.commands).filter(([, verb]) =>
    verb.kind === 'group' ? shownVerbs(verb).length > 0 : verb.hidden !== true,
  );

/** A function makes or loads it. */
type Verb = Command | Group | (() => Verb | Promise<Verb>);

/** A noun that makes the verb that is called, and all of them for help or for a word that is none. */
export const noun =
  (summary: string, verbs: Readonly<Record<string, Verb>>) =>
  async (word?: string): Promise<Group> => {
    const called = word === undefined ? undefined : verbOf(word, Object.keys(verbs));
    const commands: Record<string, Command | Group> = {};
    for (const [name, made] of Object.entries(verbs)) {
      if (called !== undefined && name !== called) continue;
      let verb = made;
      while (typeof verb === 'function') verb = await verb();
      commands[name] = verb;
    }
    return defineGroup(summary, commands);
  };

/** Known without loading the noun's module. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly section: string;
  /** `verb` is the word after the noun: see `noun`. */
  readonly load: (program: Program, verb?: string) => Promise<Command | Group>;
}

export interface Program {
  readonly nouns: ReadonlyMap<string, Noun>;
  /** The flags of every command, by the names of their settings. */
  readonly flags: Params;
}

/** All nouns as one group. */
export async function loadNouns(program: Program): Promise<Group> {
  const load = async (noun: Noun) => [noun.name, await noun.load(program)] as const;
  return defineGroup('', Object.fromEntries(await Promise.all([...program.nouns.values()].map(load))));
}

export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** In the order of help. Loads the module of every noun. */
export const commandsOf = async (program: Program): Promise<readonly NamedCommand[]> =>
  commandsIn(await loadNouns(program));

/** `path` are the words before them. */
export function commandsIn(target: Command | Group, path: readonly string[] = []): readonly NamedCommand[] {
  if (target.kind === 'command') return [{ path, command: target }];
  return Object.entries(target.commands).flatMap(([verb, inner]) => commandsIn(inner, [...path, verb]));
}

export function defineCommand<const A extends Params, const O extends Params>(spec: CommandSpec<A, O>): Command {
  return {
    ...spec,
    kind: 'command',
    args: spec.args ?? {},
    options: { ...spec.options, ...commonOptions(spec) },
    needed: (spec.needed ?? []).map((group) => (typeof group === 'string' ? [group] : group)),
    examples: spec.examples ?? [],
    watch: spec.watch === true ? {} : spec.watch,
    // The casts are sound: callers pass only parsed values.
    needs: spec.needs as Command['needs'],
    run: spec.run as Command['run'],
  };
}

export const defineGroup = (summary: string, commands: Group['commands'], details?: string): Group => ({
  kind: 'group',
  summary,
  commands,
  details,
});

/** Beyond the common ones: 8 of a write, 9 of a wait with a timeout, and its declared ones. */
export const exitsOf = ({ writes, options, exits }: Command): readonly ExitCode[] =>
  EXIT_CODES.map(({ code }) => code).filter(
    (code) =>
      (code === EXIT.unknown && writes === true) ||
      (code === EXIT.waitEnded && 'waitTimeout' in options) ||
      exits?.includes(code) === true,
  );

export function textIn(values: Values, key: string): string | undefined {
  const value = values[key];
  return typeof value === 'string' ? value : undefined;
}

export function textsIn(values: Values, key: string): readonly string[] {
  const value = values[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export const yesOption: Param<boolean> = option.on('do not ask for confirmation', { short: '-y' });

const notifyOption = (needs: readonly string[] | undefined): Param<string | undefined> => ({
  ...option.text('tell this command or https address when it ends', { metavar: 'COMMAND|URL' }),
  ...(needs && { needs }),
  parse: (text, label) => (isAddress(text) ? webAddress(text, label).href : text),
});

/** Of a `--notify`: else it is a command. */
export const isAddress = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target);

function commonOptions({
  options = {},
  notifies,
  writes,
  watch,
}: Pick<CommandSpec<Params, Params>, 'options' | 'notifies' | 'writes' | 'watch'>): Params {
  const { waitTimeout } = options;
  return {
    ...(waitTimeout !== undefined || notifies === true ? { notify: notifyOption(waitTimeout?.needs) } : {}),
    ...(writes ? { dryRun: option.on('print the request, send nothing') } : {}),
    ...(watch
      ? {
          watch: option.on('refresh the output until it ends, or q', { short: '-w' }),
          interval: onlyWith(['watch'], option.durationOr('time between refreshes with --watch', 's', 2000, '2s')),
        }
      : {}),
  };
}

export const waitTimeoutOption = (summary: string): Param<number> => option.durationOr(summary, 's', 600_000, '10m');

export const waitOptions = (summary: string) => ({
  wait: option.on(summary),
  waitTimeout: onlyWith(['wait'], waitTimeoutOption('how long --wait waits')),
});

export const visibleOptions = (command: Command): readonly (readonly [string, Param<unknown>])[] =>
  Object.entries(command.options).filter(([, { hidden }]) => hidden !== true);
