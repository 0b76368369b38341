import { Command as Commander, CommanderError, Option } from 'commander';
import { Failure, usage } from '../../core/failure.ts';
import { berth, lines, type Message, names, sentence } from '../../core/message.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';
import { type Command, commonOptions, type Group, type Program, type Values } from '../model/command.ts';
import type { GlobalFlag, GlobalValues } from '../model/global-flags.ts';
import { flagName, labelOf, namesProgram, type Param, type Params } from '../model/params.ts';
import { didYouMean, suggestedCommand, verbOf } from '../words.ts';
import { firstWordAt } from './user-aliases.ts';

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

/** The texts of each global flag by its name; none of a switch. */
type Globals = Map<string, readonly string[]>;

/** Loads only the module of its noun. Returns, not throws, usage (2). The only file that uses commander. */
export async function parseCommandLine(
  argv: readonly string[],
  program: Program,
): Promise<Invocation | InvalidCommandLine> {
  const { nouns, flags } = program;
  const given: Globals = new Map();
  // Of several texts, the one nearest to the verb wins.
  const globals = (): GlobalValues =>
    Object.fromEntries([...given].map(([name, texts]) => [name, texts.at(-1) ?? true]));
  const path: string[] = [];
  let target: Command | Group | undefined;
  let rest = argv;
  try {
    while (target?.kind !== 'command') {
      const at = firstWordAt(rest, flags);
      await read(path, undefined, flags, rest.slice(0, at), given);
      const word = at === undefined ? undefined : rest[at];
      if (at === undefined || word === undefined) return { path, target, values: {}, globals: globals() };
      if (target !== undefined && word === 'help')
        return await parseCommandLine([...argv.filter((each) => each !== 'help'), '--help'], program);
      rest = rest.slice(at + 1);
      const known = target === undefined ? nouns.map(({ name }) => name) : Object.keys(target.commands);
      const name = target === undefined ? known.find((noun) => noun === word) : verbOf(word, known);
      if (name === undefined) {
        readGlobals(flags, rest, given);
        throw unknownCommand(word, path, known);
      }
      const verb = rest[firstWordAt(rest, flags) ?? rest.length];
      target = target?.commands[name] ?? (await nouns.find((noun) => noun.name === name)?.load(program, verb));
      path.push(name);
    }
    return { path, target, values: await valuesOf(path, target, rest, flags, given), globals: globals() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error, globals: globals() };
  }
}

const optionsOf = (command: Command): Params => ({ ...command.options, ...commonOptions(command) });

/** Empty with --help. */
async function valuesOf(
  path: readonly string[],
  command: Command,
  rest: readonly string[],
  flags: readonly GlobalFlag[],
  given: Globals,
): Promise<Values> {
  const dashesKey = Object.keys(command.args).find((key) => command.args[key]?.afterDashes === true);
  const dashes = dashesKey === undefined ? -1 : dashesAt(rest, command, flags);
  const words = dashes < 0 ? rest : rest.slice(0, dashes);
  // Sizes of files are always in units, and -h is help.
  const known = path[0] === 'files' ? words.map((word) => (word === '-lh' ? '-l' : word)) : words;
  const raw = await read(path, command, flags, known, given);
  if (given.has('help')) return {};
  for (const { name, flag, commas } of flags) {
    const hint = commas === true ? `Write several with commas: ${flag} A,B.` : undefined;
    refuseSecond(flag, given.get(name) ?? [], hint);
  }
  if (dashesKey !== undefined && dashes >= 0) raw[dashesKey] = rest.slice(dashes + 1);
  return Object.fromEntries(
    Object.entries({ ...command.args, ...optionsOf(command) }).flatMap(([key, param]) => valueOf(key, param, raw[key])),
  );
}

/** Where `--` is no value of a flag; -1 for nowhere. */
function dashesAt(words: readonly string[], command: Command, flags: readonly GlobalFlag[]): number {
  const own = Object.entries(optionsOf(command)).map(([key, param]) => ({ ...param, flag: flagName(key) }));
  const withValue = [...own, ...flags].filter(({ metavar }) => metavar !== undefined);
  const names = withValue.flatMap(({ flag, short }) => [flag, short]);
  return words.findIndex((word, at) => word === '--' && !names.includes(words[at - 1] ?? ''));
}

function valueOf(key: string, param: Param<unknown>, raw: unknown): readonly (readonly [string, unknown])[] {
  if (raw === undefined || (Array.isArray(raw) && raw.length === 0)) return [];
  if (param.kind === 'flag' && param.metavar === undefined) return [[key, true]];
  const label = labelOf(key, param);
  const texts = [raw].flat() as string[];
  if (!param.many) {
    refuseSecond(label, texts, param.onlyOne);
    return [[key, param.parse(texts[0] ?? '', label)]];
  }
  const all = texts.flatMap((text) => param.parse(text, label) as unknown[]);
  return [[key, param.distinct === true ? [...new Set(all)] : all]];
}

/** To drop one of several values in silence may cost money. */
function refuseSecond(name: string, texts: readonly string[], hint = 'Keep one of them.'): void {
  const values = texts.map((text) => JSON.stringify(text)).join(', ');
  if (texts.length > 1) throw usage(`${name} takes one value, not ${texts.length}: ${values}`, hint);
}

/** The raw values by their keys, and the global flags into `given`, also where it fails with usage (2). */
async function read(
  path: readonly string[],
  command: Command | undefined,
  flags: readonly GlobalFlag[],
  words: readonly string[],
  given: Globals,
): Promise<Record<string, unknown>> {
  const args = Object.entries(command?.args ?? {}).filter(([, { afterDashes }]) => afterDashes !== true);
  const options = command === undefined ? {} : optionsOf(command);
  const own = Object.keys(options).map(flagName);
  // Flags of the command replace global ones of the same name.
  const others = flags.filter(({ flag }) => !own.includes(flag));
  const parser = createParser(others).passThroughOptions(namesProgram(command?.args ?? {}));
  for (const [key, { many }] of args) parser.argument(many ? `[${key}...]` : `[${key}]`);
  for (const [key, param] of Object.entries(options)) parser.addOption(plainOption(flagName(key), param));
  try {
    parser.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.unknownOption') {
      const word = /'(.*)'$/s.exec(error.message)?.[1] ?? '';
      throw unknownOption(word, path, [...own, ...flags.map(({ flag }) => flag)]);
    }
    // A value can be missing only after the last word.
    if (error.code === 'commander.optionMissingArgument')
      throw usage(`${words.at(-1) ?? ''} needs a value`, seeHelp(path));
    const { usageOf } = await import('../help.ts');
    const line = command === undefined ? 'berth' : usageOf(path, command);
    throw usage(`too many arguments for '${path.at(-1) ?? 'berth'}'`, lines(`Usage: ${line}`, seeHelp(path)));
  } finally {
    addGlobals(parser, others, given);
  }
  const texts = parser.processedArgs as readonly unknown[];
  const [first, second] = args;
  // `api PATH`: a single word goes to the argument that must be given.
  const isSecond = first?.[1].required === false && second?.[1].required === true && texts[1] === undefined;
  const values = args.map(([key], at) => [key, isSecond ? texts[1 - at] : texts[at]] as const);
  return { ...parser.opts<Record<string, unknown>>(), ...Object.fromEntries(values) };
}

/** The global flags of a line whose command is unknown. */
function readGlobals(flags: readonly GlobalFlag[], words: readonly string[], given: Globals): void {
  const parser = createParser(flags).allowUnknownOption().allowExcessArguments();
  parser.parseOptions([...words]);
  addGlobals(parser, flags, given);
}

/** Prints nothing and never exits. */
function createParser(flags: readonly GlobalFlag[]): Commander {
  const parser = new Commander('berth')
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .helpOption(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  for (const flag of flags) parser.addOption(plainOption(flag.flag, flag));
  return parser;
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

function addGlobals(parser: Commander, flags: readonly GlobalFlag[], given: Globals): void {
  for (const { name, flag } of flags) {
    const key = flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = parser.getOptionValue(key) as true | readonly string[] | undefined;
    if (value !== undefined) given.set(name, [...(given.get(name) ?? []), ...(value === true ? [] : value)]);
  }
}

/** Other tools' names of flags: the first one that the command has is suggested. */
const FLAG_ALIASES: Readonly<Record<string, readonly string[]>> = {
  confirm: ['yes'],
  data: ['input', 'field'],
  environment: ['env'],
  filter: ['match'],
  format: ['output'],
  lines: ['tail'],
  region: ['data-center'],
  volume: ['network-volume'],
};

const KEY_HINT = sentence`A key is never given on a command line, where others can read it: ${berth`auth login --with-key`} < FILE`;

const seeHelp = (path: readonly string[]): Message => sentence`See \`${berth`${names(path.join(' '))} --help`}\`.`;

function unknownCommand(word: string, path: readonly string[], known: readonly string[]): Failure {
  const meant = path.length === 0 ? suggestedCommand(word.toLowerCase()) : undefined;
  const near = meant === undefined ? didYouMean(word, known) : suggestionOf([`berth ${meant}`]);
  const isNear = path.length === 0 && near !== undefined;
  return usage(`unknown command '${word}'`, lines(near, isNear ? undefined : seeHelp(path)));
}

/** The message never contains the text after the flag's name, which may be a key. */
function unknownOption(word: string, path: readonly string[], known: readonly string[]): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  const flag = name.slice(2);
  const near = name.startsWith('--')
    ? nearestFlags(
        flag,
        known.map((each) => each.slice(2)),
      )
    : [];
  return usage(
    word.startsWith(`${name}=`) ? `option '${name}' is unknown, or takes no value` : `unknown option '${name}'`,
    lines(
      suggestionOf(near.map((each) => `--${each}`)),
      /key|token|passw|secret/i.test(name) ? KEY_HINT : undefined,
      name.startsWith('--') ? seeHelp(path) : 'A value that begins with a dash goes after --, or as --flag=VALUE.',
    ),
  );
}

/** The nearest; else those with all its words: `workers` gives workers-max. */
function nearestFlags(flag: string, known: readonly string[]): readonly string[] {
  const alias = Object.hasOwn(FLAG_ALIASES, flag)
    ? FLAG_ALIASES[flag]?.find((each) => known.includes(each))
    : undefined;
  if (alias !== undefined) return [alias];
  const near = nearestOf(flag, known);
  if (near.length > 0) return near;
  const words = flag.split('-');
  const longer = known.filter((each) => words.every((word) => each.split('-').includes(word)));
  const some = known.filter((each) => each.split('-').every((word) => words.includes(word)));
  return (longer.length > 0 ? longer : some).toSorted();
}
