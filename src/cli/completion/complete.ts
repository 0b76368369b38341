/** What may stand at the end of an unfinished command line. */
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { type Candidate, type Collection, describedBy } from '../model/collection.ts';
import { type Command, type Group, shownVerbs, visibleOptions } from '../model/command.ts';
import { rememberedJobs } from '../model/context.ts';
import { flagName, type Param, type Params } from '../model/params.ts';
import { VOLUMES } from '../resource/collections.ts';
import { followPages, listRequest } from '../resource/pages.ts';
import { verbOf } from '../words.ts';

/** Plain data: made by the build and loaded as one file. */
export interface CompletionTree {
  /** The nouns. */
  readonly root: Group;
  /** A command's own flag of the same name takes precedence. */
  readonly globals: Params;
}

interface Place {
  readonly node: Command | Group;
  readonly args: readonly string[];
  /** By key: the value, or true for a switch. */
  readonly given: ReadonlyMap<string, string | true>;
  readonly wanted: 'word' | 'flag' | Param<unknown> | undefined;
  /** The unfinished word, without what stands before a value in it: `--status=`. */
  readonly typed: string;
  readonly before: string;
}

/** Those of the command first. */
function flagsOf(node: Command | Group, globals: Params): readonly (readonly [key: string, param: Param<unknown>])[] {
  const own = node.kind === 'group' ? {} : Object.fromEntries(visibleOptions(node));
  return Object.entries({ ...own, ...globals, ...own });
}

/** `words` follow `berth`. Unknown words and flags are skipped, so that the rest is still completed. */
export function placeOf({ root, globals }: CompletionTree, words: readonly string[]): Place {
  const typed = words.at(-1) ?? '';
  let node: Command | Group = root;
  const argsOf = (): readonly Param<unknown>[] =>
    node.kind === 'group' ? [] : Object.values(node.args).filter(({ afterDashes }) => afterDashes !== true);
  const flagNamed = (name: string) =>
    flagsOf(node, globals).find(([key, { short }]) => flagName(key) === name || short === name);
  const args: string[] = [];
  const given = new Map<string, string | true>();
  let open: ReturnType<typeof flagNamed>;
  let flagsEnded = false;
  for (const word of words.slice(0, -1)) {
    if (open !== undefined) {
      given.set(open[0], word);
      open = undefined;
    } else if (!flagsEnded && word === '--') flagsEnded = true;
    else if (!flagsEnded && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const flag = flagNamed(name);
      const isSwitch = flag?.[1].metavar === undefined;
      if (!isSwitch && rest.length === 0) open = flag;
      else if (flag !== undefined) given.set(flag[0], isSwitch || rest.join('='));
    } else {
      const verbs: Group['commands'] = node.kind === 'group' ? node.commands : {};
      const verb = verbs[verbOf(word, Object.keys(verbs)) ?? ''];
      flagsEnded ||= verb === undefined && argsOf()[args.length]?.complete === 'command';
      if (verb === undefined) args.push(word);
      else node = verb;
    }
  }
  const place = { node, args, given, typed, before: '' };
  if (open !== undefined) return { ...place, wanted: open[1] };
  if (!flagsEnded && typed.startsWith('-')) {
    const [name = '', ...value] = typed.split('=');
    if (value.length === 0) return { ...place, wanted: 'flag' };
    const flag = flagNamed(name)?.[1];
    const wanted = flag?.metavar === undefined ? undefined : flag;
    return { ...place, wanted, before: `${name}=`, typed: value.join('=') };
  }
  if (node.kind === 'group') return { ...place, wanted: args.length === 0 ? 'word' : undefined };
  const last = argsOf().at(-1);
  return { ...place, wanted: argsOf()[args.length] ?? (last?.many === true ? last : undefined) };
}

/** Words, or the shell's own completion of files or programs. A path ending in `:` or `/` is unfinished. */
export interface Completion {
  readonly kind: 'words' | 'paths' | 'files' | 'commands';
  /** The text before the file's name in the same word: `--input=`, `@`. */
  readonly before: string;
  readonly words: readonly Candidate[];
}

const files = (before: string): Completion => ({ kind: 'files', before, words: [] });
const offer = (words: readonly Candidate[]): Completion => ({ kind: 'words', before: '', words });
const verbsOf = (node: Command | Group): readonly Candidate[] =>
  node.kind === 'command' ? [] : shownVerbs(node).map(([value, { summary }]) => ({ value, description: summary }));

/** Waits for the service for at most a second. */
export async function candidatesAt(
  tree: CompletionTree,
  place: Place,
  context: Context,
  aliases: readonly Candidate[],
): Promise<Completion> {
  const { node, wanted, given, args, typed, before } = place;
  if (wanted === undefined) return offer([]);
  if (wanted === 'word') return offer([...verbsOf(node), ...(node === tree.root ? aliases : [])]);
  if (wanted === 'flag')
    return offer(
      flagsOf(node, tree.globals)
        .filter(([key, { many }]) => many || !given.has(key))
        .map(([key, { summary }]) => ({ value: flagName(key), description: summary })),
    );
  const { complete, choices = [] } = wanted;
  switch (complete) {
    case 'file':
      return files(before);
    case '@file':
      return typed.startsWith('@') ? files(`${before}@`) : offer([]);
    case '=file':
      return typed.includes('=') ? files(before + typed.slice(0, typed.indexOf('=') + 1)) : offer([]);
    case 'volume-path':
    case 'file-or-volume-path': {
      const volumes = await volumesFor(typed, context);
      if (volumes.length === 0 && complete === 'file-or-volume-path') return files(before);
      return { kind: 'paths', before: '', words: inWord(volumes, wanted, place) };
    }
    case 'command':
      return { kind: args.length === 0 ? 'commands' : 'files', before, words: [] };
    case 'help': {
      const words = verbsOf(placeOf(tree, [...args, '']).node);
      const topics = choices.map((topic) => ({ value: topic, description: 'topic' }));
      return offer(args.length > 0 ? words : [...words, ...topics]);
    }
    default: {
      const known = wanted.choicesAfter?.[args.at(-1) ?? ''] ?? choices;
      const live = complete === undefined ? [] : await valuesOf(complete, place, context);
      return offer(inWord([...known.map((value) => ({ value, description: '' })), ...live], wanted, place));
    }
  }
}

/** With what stands before a value in its word, and without the values that the word has. */
function inWord(
  candidates: readonly Candidate[],
  { commas }: Param<unknown>,
  { before, typed }: Place,
): readonly Candidate[] {
  const head = commas === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const used = new Set(head.split(','));
  return candidates
    .filter(({ value }) => !used.has(value))
    .map(({ value, description }) => ({ value: before + head + value, description }));
}

/** How long the service is waited for. */
const WAIT_MS: Milliseconds = 1000;
/** In characters. */
const MAX_LENGTH = 200;

/** Empty when the service does not answer in time, or when this machine has no key. */
async function valuesOf(
  source: Collection | 'fields' | 'job' | 'profile',
  { node, args }: Pick<Place, 'node' | 'args'>,
  context: Context,
): Promise<readonly Candidate[]> {
  switch (source) {
    case 'fields':
      return (node.kind === 'command' ? (node.fields ?? []) : []).map((value) => ({ value, description: '' }));
    case 'profile': {
      const own = (await context.profiles.list()).map(({ name, values }) => ({
        value: name,
        description: values['base-url'] ?? '',
      }));
      return own.some(({ value }) => value === 'local')
        ? own
        : [...own, { value: 'local', description: 'the local service' }];
    }
    case 'job': {
      const [endpoint = '', ...others] = args;
      // oxlint-disable-next-line berth/no-wall-clock -- a date: other processes submitted the jobs
      const now = context.clock.now();
      return (await rememberedJobs(context, endpoint))
        .filter(({ id }) => !others.includes(id))
        .map(({ id, at }) => ({ value: id, description: `submitted ${formatDuration(Math.max(0, now - at))} ago` }));
    }
    default: {
      const rows = await rowsOf(context, source);
      return candidatesOf(rows, source.idsOnly === true).filter(({ value }) => !args.includes(value));
    }
  }
}

/** Rows kept for a minute, else asked for once. */
async function rowsOf(context: Context, list: Collection): Promise<readonly ListRow[]> {
  const { settings, clock } = context;
  const kept = await context.lists.read(list.noun);
  if (kept?.isFresh === true) return kept.rows;
  if (!settings.local && (await settings.key()) === undefined) return [];
  const until = clock.monotonic() + WAIT_MS;
  const rows = new Map<string, ListRow>();
  const isWhole = await unlessFailed(context, async () => {
    for await (const page of followPages(await context.openApi(), listRequest(list, list.lookupQuery))) {
      for (const row of page.rows) {
        const value = offered(stringAt(row, list.value ?? 'id'));
        const description = describedBy(row, list).join(', ');
        if (value !== '') rows.set(value, { value, name: offered(stringAt(row, 'name')), description });
      }
      if (clock.monotonic() > until) return false;
    }
    return true;
  });
  if (isWhole !== true) return [];
  await context.lists.write(list.noun, [...rows.values()]);
  return [...rows.values()];
}

/** Each row by its id, and by its name when no other row has that name and names are taken. */
function candidatesOf(rows: readonly ListRow[], idsOnly: boolean): readonly Candidate[] {
  const isOnly = (name: string): boolean => rows.filter((row) => [row.name, row.value].includes(name)).length === 1;
  const describe = (...words: readonly string[]): string => words.filter((word) => word !== '').join(', ');
  return rows.flatMap(({ value, name, description }) => [
    { value, description: describe(name === value ? '' : name, description) },
    ...(idsOnly || name === '' || name === value || !isOnly(name)
      ? []
      : [{ value: name, description: describe(value, description) }]),
  ]);
}

/** Empty for a value that acts on the terminal or the shell, or is read as a flag. */
const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !/^[-~]/.test(text) && safeText(text) === text ? text : '';

/** `VOLUME:` for each whose id or name begins so. What follows a colon is not known here. */
async function volumesFor(typed: string, context: Context): Promise<readonly Candidate[]> {
  if (/[:/\\]/.test(typed)) return [];
  return candidatesOf(await rowsOf(context, VOLUMES), false)
    .filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()) && !/[:/\\]/.test(value))
    .map(({ value, description }) => ({ value: `${value}:`, description }));
}
