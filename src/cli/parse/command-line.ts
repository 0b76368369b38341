import { Command as Commander, CommanderError, Option } from 'commander';
import { Failure, usage } from '../../core/failure.ts';
import { berth, lines, type Message, names, sentence } from '../../core/message.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';
import type { Command, Group, Program, Values } from '../model/command.ts';
import type { GlobalValues } from '../model/global-flags.ts';
import { firstWordAt, flagName, labelOf, namesProgram, type Param, type Params, parseValue } from '../model/params.ts';
import { didYouMean, verbOf } from '../words.ts';

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

/** The texts of each flag or argument; none of a switch. */
type Given = Map<string, readonly string[]>;

/** Loads only the module of its noun. Returns, not throws, usage (2). The only file that uses commander. */
export async function parseCommandLine(
  argv: readonly string[],
  program: Program,
): Promise<Invocation | InvalidCommandLine> {
  const { nouns, flags } = program;
  const given: Given = new Map();
  // Of several texts, the one nearest to the verb wins.
  const globals = (): GlobalValues =>
    Object.fromEntries([...given].map(([name, texts]) => [name, texts.at(-1) ?? true]));
  const path: string[] = [];
  let target: Command | Group | undefined;
  let rest = argv;
  try {
    while (target?.kind !== 'command') {
      const at = firstWordAt(rest, flags);
      if (at !== 0) read(path, undefined, flags, rest.slice(0, at), given);
      const word = at === undefined ? undefined : rest[at];
      if (at === undefined || word === undefined) return { path, target, values: {}, globals: globals() };
      if (target !== undefined && word === 'help')
        return await parseCommandLine([...argv.filter((each) => each !== 'help'), '--help'], program);
      rest = rest.slice(at + 1);
      const noun = target === undefined ? nouns.get(word) : undefined;
      const verbs = Object.keys(target?.commands ?? {});
      const name = target === undefined ? noun?.name : verbOf(word, verbs);
      if (name === undefined) {
        createParser(flags, () => given, rest).parseOptions([...rest]);
        throw unknownCommand(word, path, target === undefined ? [...nouns.keys()] : verbs);
      }
      const verb = rest[firstWordAt(rest, flags) ?? rest.length];
      target = target?.commands[name] ?? (await noun?.load(program, verb));
      path.push(name);
    }
    return { path, target, values: valuesOf(path, target, rest, flags, given), globals: globals() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { failure: error, globals: globals() };
  }
}

/** Empty with --help. */
function valuesOf(
  path: readonly string[],
  command: Command,
  rest: readonly string[],
  flags: Params,
  given: Given,
): Values {
  const dashesKey = Object.keys(command.args).find((key) => command.args[key]?.afterDashes === true);
  const dashes = dashesKey === undefined ? -1 : rest.indexOf('--');
  const words = dashes < 0 ? rest : rest.slice(0, dashes);
  // Sizes of files are always in units, and -h is help.
  const known = path[0] === 'files' ? words.map((word) => (word === '-lh' ? '-l' : word)) : words;
  const texts = read(path, command, flags, known, given);
  if (given.has('help')) return {};
  for (const [key, texts] of given) {
    const hint = flags[key]?.commas === true ? `Write several with commas: ${flagName(key)} A,B.` : undefined;
    refuseSecond(flagName(key), texts, hint);
  }
  if (dashesKey !== undefined && dashes >= 0 && dashes < rest.length - 1) texts.set(dashesKey, rest.slice(dashes + 1));
  const values: Record<string, unknown> = {};
  for (const [key, param] of Object.entries({ ...command.args, ...command.options }))
    if (texts.has(key)) values[key] = valueOf(key, param, texts.get(key) ?? []);
  return values;
}

function valueOf(key: string, param: Param<unknown>, texts: readonly string[]): unknown {
  if (param.kind === 'flag' && param.metavar === undefined) return true;
  const label = labelOf(key, param);
  if (!param.many) refuseSecond(label, texts);
  const values = texts.flatMap((text) => parseValue(param, text, label));
  if (!param.many) return values[0];
  return param.distinct === true ? [...new Set(values)] : values;
}

/** To drop one of several values in silence may cost money. */
function refuseSecond(name: string, texts: readonly string[], hint = 'Keep one of them.'): void {
  if (texts.length < 2) return;
  const values = texts.map((text) => JSON.stringify(text)).join(', ');
  throw usage(`${name} takes one value, not ${texts.length}: ${values}`, hint);
}

/** The texts by their keys, and those of global flags into `given`, also where it fails with usage (2). */
function read(
  path: readonly string[],
  command: Command | undefined,
  flags: Params,
  words: readonly string[],
  given: Given,
): Given {
  const texts: Given = new Map();
  const args = Object.entries(command?.args ?? {}).filter(([, { afterDashes }]) => afterDashes !== true);
  const own = command?.options ?? {};
  // Flags of the command replace global ones of the same name.
  const known = { ...flags, ...own };
  const parser = createParser(known, (key) => (key in own ? texts : given), words);
  parser.passThroughOptions(namesProgram(command?.args ?? {}));
  for (const [key, { many }] of args) parser.argument(many ? `[${key}...]` : `[${key}]`);
  try {
    parser.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.unknownOption') {
      const word = /'(.*)'$/s.exec(error.message)?.[1] ?? '';
      throw unknownOption(word, path, Object.keys(known).map(flagName));
    }
    // A value can be missing only after the last word.
    if (error.code === 'commander.optionMissingArgument')
      throw usage(`${words.at(-1) ?? ''} needs a value`, seeHelp(path));
    throw usage(`too many arguments for '${path.at(-1) ?? 'berth'}'`, seeHelp(path));
  }
  const found = parser.processedArgs as readonly (string | readonly string[] | undefined)[];
  const [first, second] = args;
  // `api PATH`: a single word goes to the argument that must be given.
  const isSecond = first?.[1].required === false && second?.[1].required === true && found[1] === undefined;
  for (const [at, [key]] of args.entries()) {
    const those = [found[isSecond ? 1 - at : at] ?? []].flat();
    if (those.length > 0) texts.set(key, those);
  }
  return texts;
}

/** Prints nothing and never exits. The texts of a flag go where `into` says. Of the long flags it knows those in `words`. */
function createParser(flags: Params, into: (key: string) => Given, words: readonly string[]): Commander {
  const parser = new Commander('berth')
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .helpOption(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  const typed = words.map((word) => word.split('=', 1)[0]);
  for (const [key, { short, metavar }] of Object.entries(flags)) {
    const name = flagName(key);
    if (short === undefined && !typed.includes(name)) continue;
    const long = name + (metavar === undefined ? '' : ' <value>');
    const option = new Option(short === undefined ? long : `${short}, ${long}`);
    // Commander would keep `--no-input` as `input: false`: a command's `--input`.
    option.negate = false;
    parser.addOption(option).on(`option:${option.name()}`, (text: unknown) => {
      const isNext = words.some((word, at) => (word === short || word === name) && words[at + 1] === text);
      if (isNext && Object.keys(flags).some((each) => flagName(each) === text))
        throw usage(
          `${name} needs a value, and ${String(text)} is a flag`,
          `Where it is meant as the value: ${name}=${String(text)}`,
        );
      const texts = into(key);
      texts.set(key, [...(texts.get(key) ?? []), ...(typeof text === 'string' ? [text] : [])]);
    });
  }
  return parser;
}

const keyHint = (): Message =>
  sentence`A key is never given on a command line, where others can read it: ${berth`auth login --with-key`} < FILE`;

const seeHelp = (path: readonly string[]): Message => sentence`See \`${berth`${names(path.join(' '))} --help`}\`.`;

function unknownCommand(word: string, path: readonly string[], known: readonly string[]): Failure {
  const near = didYouMean(word, known);
  return usage(
    `unknown command '${word}'`,
    lines(near, near !== undefined && path.length === 0 ? undefined : seeHelp(path)),
  );
}

/** The message never contains the text after the flag's name, which may be a key. */
function unknownOption(word: string, path: readonly string[], known: readonly string[]): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  return usage(
    word.startsWith(`${name}=`) ? `option '${name}' is unknown, or takes no value` : `unknown option '${name}'`,
    lines(
      name.startsWith('--') ? suggestionOf(nearestFlags(name, known)) : undefined,
      /key|token|passw|secret/i.test(name) ? keyHint() : undefined,
      name.startsWith('--') ? undefined : 'A value that begins with a dash goes after --, or as --flag=VALUE.',
      seeHelp(path),
    ),
  );
}

/** Those with all its words: `--workers` gives `--workers-max`; else the nearest. */
function nearestFlags(name: string, known: readonly string[]): readonly string[] {
  const words = name.slice(2).split('-');
  const longer = known.filter((flag) => words.every((word) => flag.slice(2).split('-').includes(word)));
  if (longer.length > 0) return longer.toSorted();
  const names = known.map((flag) => flag.slice(2));
  return nearestOf(name.slice(2), names).map((flag) => `--${flag}`);
}
