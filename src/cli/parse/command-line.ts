import { Command as Commander, CommanderError, Option } from 'commander';
import { Failure, usage } from '../../core/failure.ts';
import { type Command, commonOptions, type Group, type Noun, type Program, type Values } from '../model/command.ts';
import type { GlobalFlag, GlobalValues } from '../model/global-flags.ts';
import { verbOf } from '../words.ts';
import { flagName, labelOf, namesProgram, type Param, type Params } from '../model/params.ts';

export interface Invocation {
  readonly path: readonly string[];
  readonly target: Command | Group | undefined;
  /** Parsed; without defaults. */
  readonly values: Values;
  readonly globals: GlobalValues;
}

/** With the global flags read so far, which say how to print the failure. */
export interface InvalidCommandLine {
  readonly failure: Failure;
  readonly globals: GlobalValues;
}

interface Node {
  readonly parser: Commander;
  readonly path: readonly string[];
  readonly target: Command | Group | undefined;
  /** All but those that the command declares itself. */
  readonly globals: readonly GlobalFlag[];
}

/** Loads only the module of its noun. Returns, not throws, usage (2). The only file that uses commander. */
export async function parseCommandLine(
  argv: readonly string[],
  program: Program,
): Promise<Invocation | InvalidCommandLine> {
  const { nouns, flags } = program;
  const mentioned = mentionedIn(argv);
  const used = flags.filter(({ flag, short }) => mentioned(flag, short));
  let reached: Node | undefined;

  /** The parser must print nothing and never exit. */
  const configureNode = (parser: Commander, path: readonly string[], target: Node['target']): Node => {
    const globals = target?.kind === 'command' ? used.filter(({ flag }) => !ownFlags(target).has(flag)) : used;
    const node = { parser, path, target, globals };
    parser
      .exitOverride((error) => {
        reached = node;
        throw error;
      })
      .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
      .helpOption(false)
      .helpCommand(false)
      .enablePositionalOptions()
      // An excess word after a group or the root is an unknown verb or noun, which the caller reports.
      // Words after `--` are read by `wordsOf`.
      .allowExcessArguments(target?.kind !== 'command' || dashesKey(target) !== undefined)
      .action(() => {
        reached = node;
      });
    addGlobals(parser, globals);
    return node;
  };

  const attach = (parser: Commander, path: readonly string[], target: Command | Group): void => {
    configureNode(parser, path, target);
    if (target.kind === 'command') {
      for (const [key, param] of Object.entries(target.args))
        if (param.afterDashes !== true) parser.argument(param.many ? `[${key}...]` : `[${key}]`);
      for (const [key, param] of Object.entries(optionsOf(target)))
        if (mentioned(flagName(key), param.short)) parser.addOption(plainOption(flagName(key), param));
      // As `env` and `docker run` do.
      parser.passThroughOptions(namesProgram(target.args));
      return;
    }
    // Creating a parser takes time: only verbs that are among the words get one.
    const verbs = Object.keys(target.commands);
    for (const [verb, inner] of Object.entries(target.commands)) {
      const others = argv.filter((word) => word !== verb && !verbs.includes(word) && verbOf(word, verbs) === verb);
      if (argv.includes(verb) || others.length > 0)
        attach(parser.command(verb).aliases([...new Set(others)]), [...path, verb], inner);
    }
  };

  const root = configureNode(new Commander('berth'), [], undefined);
  for (const noun of nouns) if (argv.includes(noun.name)) root.parser.command(noun.name);
  root.parser.hook('preSubcommand', async (_, parser) => {
    const noun = nouns.find(({ name }) => name === parser.name());
    if (noun !== undefined) attach(parser, [noun.name], await noun.load(program, root.parser.args[1]));
  });

  try {
    // Sizes are always in units, and -h is help.
    const words = argv.includes('files') ? argv.map((word) => (word === '-lh' ? '-l' : word)) : [...argv];
    await root.parser.parseAsync(words, { from: 'user' });
    return await invocationAt(reached ?? root, program, argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const at = reached ?? root;
    return { failure: await failureOf(error, at, argv, program), globals: globalsOf(at, flags) };
  }
}

/** A word such as `-wy` may hold any short flag. */
type Mentioned = (flag: string, short: string | undefined) => boolean;

function mentionedIn(argv: readonly string[]): Mentioned {
  const long = new Set(argv.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0]));
  const anyShort = argv.some((word) => /^-[^-]/.test(word));
  return (flag, short) => long.has(flag) || (short !== undefined && anyShort);
}

const optionsOf = (command: Command): Params => ({ ...command.options, ...commonOptions(command) });

/** They replace global flags of the same name. */
const ownFlags = (command: Command): ReadonlySet<string> => new Set(Object.keys(optionsOf(command)).map(flagName));

const wordsAt = ({ target }: Node, nouns: readonly Noun[]): readonly string[] =>
  target?.kind === 'group' ? Object.keys(target.commands) : nouns.map(({ name }) => name);

async function invocationAt(
  at: Node,
  { flags, nouns }: Program,
  argv: readonly string[],
): Promise<Invocation | InvalidCommandLine> {
  const { parser, path, target } = at;
  const globals = globalsOf(at, flags);
  const [word] = parser.args;
  if (target?.kind === 'group' && word === 'help') {
    const words = argv.filter((each) => each !== 'help');
    return await parseCommandLine([...words, '--help'], { flags, nouns });
  }
  if (target?.kind !== 'command' && word !== undefined) {
    const { unknownCommand } = await import('./usage-errors.ts');
    return { failure: unknownCommand(word, path, wordsAt(at, nouns)), globals };
  }
  if (target?.kind !== 'command' || globals['help'] === true) return { path, target, values: {}, globals };
  try {
    refuseRepeatedGlobals(flags, textsOfGlobals(at, flags));
    const words = await wordsOf(at, target, argv);
    const values = readValues(target.args, optionsOf(target), words, parser.opts());
    return { path, target, values, globals };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error, globals };
  }
}

/** Fails with usage (2) for a word that no argument takes. */
async function wordsOf(
  { parser, path }: Node,
  target: Command,
  argv: readonly string[],
): Promise<readonly (string | string[] | undefined)[]> {
  const words = parser.processedArgs as readonly (string | string[] | undefined)[];
  const last = dashesKey(target);
  // `api PATH`: a single word goes to the argument that must be given.
  const [first, second] = Object.values(target.args);
  if (first?.required === false && second?.required === true && words[1] === undefined) return [undefined, words[0]];
  if (last === undefined) return words;
  // A `--` that is the value of a flag is not followed by the last words alone.
  const isLast = (some: readonly string[]): boolean =>
    some.length <= parser.args.length && some.every((word, at) => word === parser.args.at(at - some.length));
  const tails = argv.flatMap((word, at) => (word === '--' ? [argv.slice(at + 1)] : []));
  const after = tails.find(isLast) ?? [];
  const before = parser.args.slice(0, parser.args.length - after.length);
  const params = Object.entries(target.args);
  const takesAll = params.some(([key, { many }]) => key !== last && many);
  if (!takesAll && before.length >= params.length) throw await excessWords(path, target);
  return params.map(([key, { many }], place) => {
    if (key === last) return [...after];
    return many ? before.slice(place) : place < before.length ? words[place] : undefined;
  });
}

const dashesKey = ({ args }: Command): string | undefined =>
  Object.keys(args).find((key) => args[key]?.afterDashes === true);

async function failureOf(
  error: CommanderError,
  at: Node,
  argv: readonly string[],
  { nouns, flags }: Program,
): Promise<Failure> {
  const errors = await import('./usage-errors.ts');
  const { parser, path, target } = at;
  switch (error.code) {
    case 'commander.unknownOption': {
      const { operands, unknown } = parser.parseOptions(parser.args);
      const [word] = operands;
      // The flags of an unknown verb are unknown too: report the verb.
      if (target?.kind !== 'command' && word !== undefined)
        return errors.unknownCommand(word, path, wordsAt(at, nouns));
      const own = target?.kind === 'command' ? [...ownFlags(target)] : [];
      return errors.unknownOption(unknown[0] ?? '', path, [...own, ...flags.map(({ flag }) => flag)]);
    }
    // A value can be missing only after the last word.
    case 'commander.optionMissingArgument':
      return errors.missingValue(argv.at(-1) ?? '', path);
    case 'commander.excessArguments':
      return await excessWords(path, target);
    default:
      return errors.otherParseError(error.code, path);
  }
}

async function excessWords(path: readonly string[], target: Node['target']): Promise<Failure> {
  const [{ tooManyWords }, { usageOf }] = await Promise.all([import('./usage-errors.ts'), import('../help.ts')]);
  return tooManyWords(path, target?.kind === 'command' ? usageOf(path, target) : 'berth');
}

function readValues(
  args: Params,
  options: Params,
  words: readonly (string | string[] | undefined)[],
  flags: Readonly<Record<string, unknown>>,
): Values {
  const read = ([key, param]: [string, Param<unknown>], raw: unknown): [string, unknown][] => {
    if (raw === undefined || (Array.isArray(raw) && raw.length === 0)) return [];
    if (param.kind === 'flag' && param.metavar === undefined) return [[key, raw === true]];
    const label = labelOf(key, param);
    if (param.many) {
      const all = (raw as string[]).flatMap((text) => param.parse(text, label) as unknown[]);
      return [[key, param.distinct === true ? [...new Set(all)] : all]];
    }
    const [text, ...more] = typeof raw === 'string' ? [raw] : (raw as string[]);
    if (more.length > 0) throw repeatedFlag(flagName(key), raw as string[], param.onlyOne);
    return [[key, param.parse(text ?? '', label)]];
  };
  return Object.fromEntries([
    ...Object.entries(args).flatMap((entry, at) => read(entry, words[at])),
    ...Object.entries(options).flatMap((entry) => read(entry, flags[entry[0]])),
  ]);
}

/** To drop one of several values in silence may cost money. */
const repeatedFlag = (name: string, texts: readonly string[], onlyOne = 'Keep one of them.'): Failure =>
  usage(
    `${name} takes one value, not ${texts.length}: ${texts.map((text) => JSON.stringify(text)).join(', ')}`,
    onlyOne,
  );

function refuseRepeatedGlobals(flags: readonly GlobalFlag[], texts: ReadonlyMap<string, readonly string[]>): void {
  for (const { name, flag, commas } of flags) {
    const values = texts.get(name) ?? [];
    if (values.length > 1)
      throw repeatedFlag(flag, values, commas === true ? `Write several with commas: ${flag} A,B.` : undefined);
  }
}

/** Commander would keep `--no-input` as `input: false` (a command's `--input`), and only the last text. */
function plainOption(flag: string, { short, metavar }: Pick<GlobalFlag, 'short' | 'metavar'>): Option {
  const name = flag + (metavar === undefined ? '' : ' <value>');
  const option = new Option(short === undefined ? name : `${short}, ${name}`);
  option.negate = false;
  return metavar === undefined
    ? option
    : option.argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text]);
}

function addGlobals(parser: Commander, flags: readonly GlobalFlag[]): void {
  for (const flag of flags) parser.addOption(plainOption(flag.flag, flag));
}

/** Of several texts, the one nearest to the verb wins. */
const globalsOf = (at: Node, flags: readonly GlobalFlag[]): GlobalValues =>
  Object.fromEntries([...textsOfGlobals(at, flags)].map(([name, texts]) => [name, texts.at(-1) ?? true]));

function textsOfGlobals(at: Node, flags: readonly GlobalFlag[]): ReadonlyMap<string, readonly string[]> {
  const chain: Commander[] = [];
  for (let parser: Commander | null = at.parser; parser !== null; parser = parser.parent) chain.unshift(parser);
  const all = new Map<string, readonly string[]>();
  for (const parser of chain)
    for (const flag of parser === at.parser ? at.globals : flags) {
      const key = camel(flag.flag.slice(2));
      if (parser.getOptionValueSource(key) !== 'cli') continue;
      const value = parser.getOptionValue(key) as true | readonly string[];
      all.set(flag.name, [...(all.get(flag.name) ?? []), ...(value === true ? [] : value)]);
    }
  return all;
}

const camel = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
