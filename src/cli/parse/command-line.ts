import { Command as Commander, CommanderError, Option } from 'commander';
import { Failure } from '../../core/failure.ts';
import type { Command, Group, Noun, Program, Values } from '../command.ts';
import type { GlobalFlag, GlobalValues } from './globals.ts';
import { commonOptions } from './common-options.ts';
import { flagName, labelOf, type Param, type Params } from './params.ts';

/** What a command line came to: a command with its values, or a place in the tree whose help was asked for. */
export interface Invocation {
  readonly path: readonly string[];
  /** Undefined for `berth` itself. */
  readonly target: Command | Group | undefined;
  /** Only what was given, parsed: defaults and missing values are the next step's. */
  readonly values: Values;
  readonly globals: GlobalValues;
}

/** A command line that cannot be used, with the global flags that were read: they say how to print the failure. */
export interface Refused {
  readonly failure: Failure;
  readonly globals: GlobalValues;
}

/** One word of the command line that names a noun or a verb, and the parser of what follows it. */
interface Place {
  readonly parser: Commander;
  readonly path: readonly string[];
  /** Undefined at the root. */
  readonly target: Command | Group | undefined;
  /** Global flags that are read here: those that the command has no flag of its own for. */
  readonly globals: readonly GlobalFlag[];
}

/**
 * Reads a command line, once. The module of the noun is loaded on the way, and no other. This is the only file that knows
 * commander: what it parses leaves here as plain values. A usage failure (2) is part of the answer.
 */
export async function parseCommandLine(argv: readonly string[], program: Program): Promise<Invocation | Refused> {
  const { nouns, flags } = program;
  const mentioned = mentionedIn(argv);
  const used = flags.filter(({ flag, short }) => mentioned(flag, short));
  let reached: Place | undefined;

  /** A parser that only parses: it prints nothing, ends no process, and remembers that the command line led to it. */
  const parserAt = (parser: Commander, path: readonly string[], target: Place['target']): Place => {
    const globals = target?.kind === 'command' ? used.filter(({ flag }) => !ownFlags(target).has(flag)) : used;
    const place = { parser, path, target, globals };
    parser
      .exitOverride((error) => {
        reached = place;
        throw error;
      })
      .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
      .helpOption(false)
      .helpCommand(false)
      .enablePositionalOptions()
      // A word too many for a group or the root is an unknown verb or noun, which the caller names.
      .allowExcessArguments(target?.kind !== 'command')
      .action(() => {
        reached = place;
      });
    addGlobals(parser, globals);
    return place;
  };

  const attach = (parser: Commander, path: readonly string[], target: Command | Group): void => {
    parserAt(parser, path, target);
    if (target.kind === 'command') {
      for (const [key, param] of Object.entries(target.args)) parser.argument(param.many ? `[${key}...]` : `[${key}]`);
      for (const [key, param] of Object.entries(optionsOf(target)))
        if (mentioned(flagName(key), param.short)) parser.addOption(commanderOption(key, param));
      return;
    }
    // Making a parser takes time: those of verbs that are not among the words are not made.
    for (const [verb, inner] of Object.entries(target.commands))
      if (argv.includes(verb)) attach(parser.command(verb), [...path, verb], inner);
  };

  const root = parserAt(new Commander('berth'), [], undefined);
  for (const noun of nouns) if (argv.includes(noun.name)) root.parser.command(noun.name);
  root.parser.hook('preSubcommand', async (_, parser) => {
    const noun = nouns.find(({ name }) => name === parser.name());
    if (noun !== undefined) attach(parser, [noun.name], await noun.load(program, root.parser.args[1]));
  });

  try {
    await root.parser.parseAsync([...argv], { from: 'user' });
    return await readAt(reached ?? root, flags, nouns);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const at = reached ?? root;
    return { failure: await refusalOf(error, at, argv, program), globals: globalsOf(at, flags) };
  }
}

/** Whether a flag may be in a command line: a word of several short flags (`-wy`) may hold any short one. */
type Mentioned = (flag: string, short: string | undefined) => boolean;

function mentionedIn(argv: readonly string[]): Mentioned {
  const long = new Set(argv.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0]));
  const anyShort = argv.some((word) => /^-[^-]/.test(word));
  return (flag, short) => long.has(flag) || (short !== undefined && anyShort);
}

const optionsOf = (command: Command): Params => ({ ...command.options, ...commonOptions(command) });

/** A command's own flag of the same name stands before the global one. */
const ownFlags = (command: Command): ReadonlySet<string> => new Set(Object.keys(optionsOf(command)).map(flagName));

/** The words that could have stood where a word is not known. */
const wordsAt = ({ target }: Place, nouns: readonly Noun[]): readonly string[] =>
  target?.kind === 'group' ? Object.keys(target.commands) : nouns.map(({ name }) => name);

async function readAt(at: Place, flags: readonly GlobalFlag[], nouns: readonly Noun[]): Promise<Invocation | Refused> {
  const { parser, path, target } = at;
  const globals = globalsOf(at, flags);
  const [word] = parser.args;
  if (target?.kind !== 'command' && word !== undefined) {
    const { unknownCommand } = await import('./usage-errors.ts');
    return { failure: unknownCommand(word, path, wordsAt(at, nouns)), globals };
  }
  if (target?.kind !== 'command' || globals['help'] === true) return { path, target, values: {}, globals };
  const words = Object.keys(target.args).map(
    (_, place) => parser.processedArgs[place] as string | string[] | undefined,
  );
  try {
    return { path, target, values: readValues(target.args, optionsOf(target), words, parser.opts()), globals };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error, globals };
  }
}

async function refusalOf(
  error: CommanderError,
  at: Place,
  argv: readonly string[],
  { nouns, flags }: Program,
): Promise<Failure> {
  const refusals = await import('./usage-errors.ts');
  const { parser, path, target } = at;
  switch (error.code) {
    case 'commander.unknownOption': {
      const { operands, unknown } = parser.parseOptions(parser.args);
      const [word] = operands;
      // The flags of a verb that is not known are unknown as well: the verb is what to correct.
      if (target?.kind !== 'command' && word !== undefined)
        return refusals.unknownCommand(word, path, wordsAt(at, nouns));
      const own = target?.kind === 'command' ? [...ownFlags(target)] : [];
      return refusals.unknownOption(unknown[0] ?? '', path, [...own, ...flags.map(({ flag }) => flag)]);
    }
    // Only a flag at the very end can lack its value.
    case 'commander.optionMissingArgument':
      return refusals.missingValue(argv.at(-1) ?? '', path);
    case 'commander.excessArguments':
      return refusals.tooManyWords(path);
    default:
      return refusals.otherRefusal(error.code, path);
  }
}

function commanderOption(key: string, param: Param<unknown>): Option {
  const name = flagName(key) + (param.metavar === undefined ? '' : ' <value>');
  const option = switchOrValue(param.short === undefined ? name : `${param.short}, ${name}`);
  return param.many ? option.argParser((text, before: string[] | undefined) => [...(before ?? []), text]) : option;
}

function readValues(
  args: Params,
  options: Params,
  words: readonly (string | string[] | undefined)[],
  given: Readonly<Record<string, unknown>>,
): Values {
  const read = ([key, param]: [string, Param<unknown>], raw: unknown): [string, unknown][] => {
    if (raw === undefined || (Array.isArray(raw) && raw.length === 0)) return [];
    if (param.place === 'flag' && param.metavar === undefined) return [[key, raw === true]];
    const label = labelOf(key, param);
    if (param.many) {
      const all = (raw as string[]).flatMap((text) => param.parse(text, label) as unknown[]);
      return [[key, param.distinct === true ? [...new Set(all)] : all]];
    }
    return [[key, param.parse(raw as string, label)]];
  };
  return Object.fromEntries([
    ...Object.entries(args).flatMap((entry, at) => read(entry, words[at])),
    ...Object.entries(options).flatMap((entry) => read(entry, given[entry[0]])),
  ]);
}

/**
 * Commander would keep `--no-input` as `input: false` and mistake it for a command's own `--input`: here every flag is
 * kept under its own name.
 */
function switchOrValue(flags: string): Option {
  const option = new Option(flags);
  option.negate = false;
  return option;
}

function addGlobals(parser: Commander, flags: readonly GlobalFlag[]): void {
  for (const flag of flags) {
    const name = flag.flag + (flag.metavar === undefined ? '' : ' <value>');
    parser.addOption(switchOrValue(flag.short === undefined ? name : `${flag.short}, ${name}`));
  }
}

/** Global flags count wherever they stand; the one nearest to the verb wins. */
function globalsOf(at: Place, flags: readonly GlobalFlag[]): GlobalValues {
  const chain: Commander[] = [];
  for (let parser: Commander | null = at.parser; parser !== null; parser = parser.parent) chain.unshift(parser);
  const values: Record<string, string | boolean | undefined> = {};
  for (const parser of chain)
    for (const flag of parser === at.parser ? at.globals : flags) {
      const key = camel(flag.flag.slice(2));
      if (parser.getOptionValueSource(key) === 'cli')
        values[flag.name] = parser.getOptionValue(key) as string | boolean;
    }
  return values;
}

const camel = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
