import { Command as Commander, CommanderError, Option } from 'commander';
import { usage, type Failure } from '../core/failure.ts';
import { aliasesOf, meantBy } from './aliases.ts';
import type { Command, Group, Noun, Values } from './command.ts';
import { firstLook, type GlobalFlag, type GlobalValues } from './globals.ts';
import { kitOptions } from './kit-options.ts';
import { flagName, labelOf, type Param, type Params } from './params.ts';

/** What a command line came to: a command with its values, or a place in the tree whose help was asked for. */
export interface Invocation {
  readonly path: readonly string[];
  readonly target: Command | Group;
  /** Only what was given, parsed: defaults and missing values are the next step's. */
  readonly values: Values;
  readonly globals: GlobalValues;
}

/** `berth pods get -- -x`: how to pass a word that begins with a dash. */
const DASH_HINT = 'A value that begins with a dash goes after --, or as --flag=VALUE.';

/**
 * Reads a command line against one noun's tree. This is the only file that knows commander: what it parses leaves here
 * as plain values. Fails with usage (2).
 */
export function mount(
  argv: readonly string[],
  noun: Noun,
  target: Command | Group,
  flags: readonly GlobalFlag[],
): Invocation {
  try {
    return parse(argv, noun, target, flags, false);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  // Making a flag or a verb takes commander time, so the first reading knows only those that are there. A refusal wants
  // all of them, to name the one that was perhaps meant.
  try {
    return parse(argv, noun, target, flags, true);
  } catch (error) {
    if (error instanceof CommanderError)
      throw refusal(error, argv, deepest(noun.name, target, firstLook(argv, flags).words));
    throw error;
  }
}

/** As much of a command line as names a place in the tree. */
interface Found {
  readonly path: readonly string[];
  readonly target: Command | Group;
  /** The word that leads no further. */
  readonly next: string | undefined;
}

/** How far into the tree the words of a command line lead. */
function deepest(noun: string, tree: Command | Group, words: readonly string[]): Found {
  const path = [noun];
  let target = tree;
  for (const word of words.slice(1)) {
    const inner: Command | Group | undefined =
      target.kind === 'group' && Object.hasOwn(target.commands, word) ? target.commands[word] : undefined;
    if (inner === undefined) break;
    path.push(word);
    target = inner;
  }
  return { path, target, next: words[path.length] };
}

/** Whether a flag may be in a command line: a word of several short flags (`-wy`) may hold any short one. */
type Mentioned = (flag: string, short: string | undefined) => boolean;

function mentionedIn(argv: readonly string[]): Mentioned {
  const long = new Set(argv.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0]));
  const anyShort = argv.some((word) => /^-[^-]/.test(word));
  return (flag, short) => long.has(flag) || (short !== undefined && anyShort);
}

function parse(
  argv: readonly string[],
  noun: Noun,
  target: Command | Group,
  flags: readonly GlobalFlag[],
  all: boolean,
): Invocation {
  let found: Invocation | undefined;
  const root = quiet(new Commander('berth'));
  const mentioned = mentionedIn(argv);
  const used = all ? flags : flags.filter(({ flag, short }) => mentioned(flag, short));
  addGlobals(root, used);
  const { words } = firstLook(argv, flags);
  attach(root, target, {
    path: [noun.name],
    words,
    flags: used,
    mentioned,
    all,
    found: (invocation) => (found = invocation),
  });
  root.parse([...argv], { from: 'user' });
  if (found === undefined) throw usage('the command line names no command', 'See `berth --help`.');
  return found;
}

/** Where in the tree a command is attached, and what all of them share. */
interface Place {
  readonly path: readonly string[];
  /** The words of the command line: verbs that are not among them are known by name alone. */
  readonly words: readonly string[];
  readonly flags: readonly GlobalFlag[];
  readonly mentioned: Mentioned;
  /** Every verb and every flag is to be known, mentioned or not. */
  readonly all: boolean;
  readonly found: (invocation: Invocation) => void;
}

function attach(parent: Commander, target: Command | Group, place: Place): void {
  const { path, words, flags, found } = place;
  const here = quiet(parent.command(path.at(-1) ?? ''));
  if (target.kind === 'group') {
    addGlobals(here, flags);
    for (const [verb, inner] of Object.entries(target.commands))
      if (words.includes(verb)) attach(here, inner, { ...place, path: [...path, verb] });
      else if (place.all) here.command(verb);
    here.action(() => {
      if (here.args.length > 0) suggest(here).unknownCommand();
      found({ path, target, values: {}, globals: globalsOf(here, flags, flags) });
    });
    here.allowExcessArguments();
    return;
  }
  const options: Params = { ...target.options, ...kitOptions(target) };
  for (const [key, param] of Object.entries(target.args)) here.argument(param.many ? `[${key}...]` : `[${key}]`);
  for (const [key, param] of Object.entries(options))
    if (place.all || place.mentioned(flagName(key), param.short)) here.addOption(commanderOption(key, param));
  // A command's own flag of the same name stands before the global one.
  const own = new Set(Object.keys(options).map(flagName));
  const others = flags.filter((flag) => !own.has(flag.flag));
  addGlobals(here, others);
  here.action(() => {
    const words = Object.keys(target.args).map((_, at) => here.processedArgs[at] as string | string[] | undefined);
    const globals = globalsOf(here, flags, others);
    const values = globals['help'] === true ? {} : readValues(target.args, options, words, here.opts());
    found({ path, target, values, globals });
  });
}

/** Commander's own refusal of an unknown verb, with the nearest one suggested; its types leave it out. */
const suggest = (command: Commander): { unknownCommand(): void } => command as unknown as { unknownCommand(): void };

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

function addGlobals(command: Commander, flags: readonly GlobalFlag[]): void {
  for (const flag of flags) {
    const name = flag.flag + (flag.metavar === undefined ? '' : ' <value>');
    command.addOption(switchOrValue(flag.short === undefined ? name : `${flag.short}, ${name}`));
  }
}

/** Global flags count wherever they stand; the one nearest to the verb wins. `here` are those that the verb takes. */
function globalsOf(command: Commander, flags: readonly GlobalFlag[], here: readonly GlobalFlag[]): GlobalValues {
  const chain: Commander[] = [];
  for (let at: Commander | null = command; at !== null; at = at.parent) chain.unshift(at);
  const values: Record<string, string | boolean | undefined> = {};
  for (const link of chain)
    for (const flag of link === command ? here : flags) {
      const key = camel(flag.flag.slice(2));
      if (link.getOptionValueSource(key) === 'cli') values[flag.name] = link.getOptionValue(key) as string | boolean;
    }
  return values;
}

const camel = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Commander parses and nothing else: it prints nothing, asks for no exit, and keeps its own help out of the way. */
const quiet = (command: Commander): Commander =>
  command
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .helpOption(false)
    .helpCommand(false)
    .enablePositionalOptions()
    .allowExcessArguments(false)
    .showSuggestionAfterError();

function refusal(error: CommanderError, argv: readonly string[], { path, target, next }: Found): Failure {
  const see = `See \`berth ${path.join(' ')} --help\`.`;
  const option = /unknown option '(.*)'/s.exec(error.message)?.[1];
  // The flags of a verb that nobody knows are unknown as well, and the verb is what to mend.
  const misled = option !== undefined && next !== undefined && argv.indexOf(next) < argv.indexOf(option);
  const verb = misled ? next : /unknown command '(.*)'/s.exec(error.message)?.[1];
  if (verb !== undefined && target.kind === 'group')
    return usage(`unknown command '${verb}'`, hintOf(didYouMean(verb, Object.keys(target.commands)), see));
  const suggestion = /\n\((Did you mean [^\n]*)\)$/.exec(error.message)?.[1];
  if (option !== undefined) return unknownOption(option, suggestion, see);
  const first = error.message.replace(/^error: /, '').split('\n', 1)[0] ?? '';
  return usage(first.replace(/\. Expected.*$/, ''), hintOf(suggestion, see));
}

/** What was written behind the name of a flag is never repeated: it may be a key. */
function unknownOption(word: string, suggestion: string | undefined, see: string): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  const what = word.startsWith(`${name}=`)
    ? `option '${name}' is unknown, or takes no value`
    : `unknown option '${name}'`;
  const next = name.startsWith('--') ? see : DASH_HINT;
  return usage(what, hintOf(suggestion, /key|token|passw|secret/i.test(name) ? KEY_HINT : undefined, next));
}

const KEY_HINT = 'A key is never given on a command line, where others can read it: berth auth login --with-key < FILE';

const hintOf = (...lines: readonly (string | undefined)[]): string =>
  lines.filter((line) => line !== undefined).join('\n');

/** The failure for a first word that is no noun, with the nearest one suggested. */
export const unknownNoun = (word: string, nouns: readonly Noun[]): Failure =>
  usage(
    `unknown command '${word}'`,
    didYouMean(
      word,
      nouns.map(({ name }) => name),
    ) ?? 'See `berth --help`.',
  );

/**
 * `Did you mean type?`: the nearest of the words there are, or of those that others say for them; undefined where none
 * is near.
 */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const exact = meantBy(word, known);
  const near = exact === undefined ? nearest(word.toLowerCase(), [...known, ...aliasesOf(known)]) : [exact];
  const meant = [...new Set(near.map((each) => meantBy(each, known) ?? each))];
  return meant.length === 0 ? undefined : `Did you mean ${meant.length === 1 ? '' : 'one of '}${meant.join(', ')}?`;
}

/** What commander takes for the nearest of some words: several where they are equally near. */
function nearest(word: string, known: readonly string[]): readonly string[] {
  const root = quiet(new Commander('berth'));
  for (const each of new Set(known)) root.command(each);
  try {
    root.parse([word], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return /\(Did you mean (?:one of )?(.*)\?\)$/.exec(error.message)?.[1]?.split(', ') ?? [];
  }
  return [];
}
