/** What may stand at the end of an unfinished command line. */
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { type Candidate, describedBy } from '../model/collection.ts';
import { rememberedJobs } from '../model/context.ts';
import { followPages, listRequest } from '../resource/pages.ts';
import { verbOf } from '../words.ts';
import type { CompletionFlag, CompletionNode, CompletionTree, CompletionValue } from './tree.ts';

interface Place {
  readonly node: CompletionNode;
  readonly args: readonly string[];
  /** By name: the value, or true for a switch. */
  readonly given: ReadonlyMap<string, string | true>;
  readonly wanted: 'word' | 'flag' | CompletionValue | undefined;
  /** The unfinished word, without what stands before a value in it: `--status=`. */
  readonly typed: string;
  readonly before: string;
}

const NOTHING: CompletionNode = { words: [], args: [], flags: [] };

/** `words` follow `berth`. Unknown words and flags are skipped, so that the rest is still completed. */
export function placeOf(tree: CompletionTree, words: readonly string[]): Place {
  const typed = words.at(-1) ?? '';
  const path: string[] = [];
  let node = tree.nodes[''] ?? NOTHING;
  const flagNamed = (name: string): CompletionFlag | undefined =>
    [...node.flags, ...tree.globals].find(({ flag, short }) => flag === name || short === name);
  const args: string[] = [];
  const given = new Map<string, string | true>();
  let open: CompletionFlag | undefined;
  let flagsEnded = false;
  for (const word of words.slice(0, -1)) {
    if (open !== undefined) {
      given.set(open.flag, word);
      open = undefined;
    } else if (!flagsEnded && word === '--') flagsEnded = true;
    else if (!flagsEnded && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const flag = flagNamed(name);
      if (flag?.value !== undefined && rest.length === 0) open = flag;
      else if (flag !== undefined) given.set(flag.flag, flag.value === undefined || rest.join('='));
    } else {
      const verb = verbOf(
        word,
        node.words.map((each) => each.word),
      );
      flagsEnded ||= verb === undefined && node.args[args.length]?.source === 'command';
      if (verb === undefined) args.push(word);
      else {
        path.push(verb);
        node = tree.nodes[path.join(' ')] ?? NOTHING;
      }
    }
  }
  const place = { node, args, given, typed, before: '' };
  if (open !== undefined) return { ...place, wanted: open.value };
  if (!flagsEnded && typed.startsWith('-')) {
    const [name = '', ...value] = typed.split('=');
    if (value.length === 0) return { ...place, wanted: 'flag' };
    return { ...place, wanted: flagNamed(name)?.value, before: `${name}=`, typed: value.join('=') };
  }
  if (node.words.length > 0) return { ...place, wanted: args.length === 0 ? 'word' : undefined };
  const last = node.args.at(-1);
  return { ...place, wanted: node.args[args.length] ?? (last?.many === true ? last : undefined) };
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
const verbsOf = ({ words }: CompletionNode): readonly Candidate[] =>
  words.map(({ word, summary }) => ({ value: word, description: summary }));

/** Waits for the service for at most a second. */
export async function candidatesAt(
  tree: CompletionTree,
  place: Place,
  context: Context,
  aliases: readonly Candidate[],
): Promise<Completion> {
  const { node, wanted, given, args, typed, before } = place;
  if (wanted === undefined) return offer([]);
  if (wanted === 'word') return offer([...verbsOf(node), ...(node === tree.nodes[''] ? aliases : [])]);
  if (wanted === 'flag')
    return offer(
      [...node.flags, ...tree.globals.filter(({ flag }) => !node.flags.some((own) => own.flag === flag))]
        .filter(({ flag, value }) => value?.many === true || !given.has(flag))
        .map(({ flag, summary }) => ({ value: flag, description: summary })),
    );
  const { source, choices = [] } = wanted;
  switch (source) {
    case 'file':
      return files(before);
    case '@file':
      return typed.startsWith('@') ? files(`${before}@`) : offer([]);
    case '=file':
      return typed.includes('=') ? files(before + typed.slice(0, typed.indexOf('=') + 1)) : offer([]);
    case 'volume-path':
    case 'file-or-volume-path': {
      const words = await volumePaths(typed, tree, context, source === 'file-or-volume-path');
      return words === 'files' ? files(before) : { kind: 'paths', before: '', words: inWord(words, wanted, place) };
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
      const live = source === undefined ? [] : await valuesOf(tree, source, place, context);
      return offer(inWord([...known.map((value) => ({ value, description: '' })), ...live], wanted, place));
    }
  }
}

/** With what stands before a value in its word, and without the values that the word has. */
function inWord(
  candidates: readonly Candidate[],
  { commas }: CompletionValue,
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
  tree: CompletionTree,
  source: NonNullable<CompletionValue['source']>,
  { node, args }: { readonly node: Pick<CompletionNode, 'fields'>; readonly args: readonly string[] },
  context: Context,
): Promise<readonly Candidate[]> {
  switch (source) {
    case 'fields':
      return (node.fields ?? []).map((value) => ({ value, description: '' }));
    case 'profile': {
      const own = await context.profiles.list();
      const local = own.some(({ name }) => name === 'local')
        ? []
        : [{ value: 'local', description: 'the local service' }];
      return [...own.map(({ name, values }) => ({ value: name, description: values['base-url'] ?? '' })), ...local];
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
      const name = source.replace(/^list:/, '');
      const rows = await rowsOf(context, tree, name);
      return candidatesOf(rows, tree.lists[name]?.idsOnly === true).filter(({ value }) => !args.includes(value));
    }
  }
}

/** Rows kept for a minute, else asked for once. */
async function rowsOf(context: Context, { lists }: CompletionTree, name: string): Promise<readonly ListRow[]> {
  const { settings, clock, api } = context;
  const list = lists[name];
  const kept = await context.lists.read(name);
  if (kept?.isFresh === true) return kept.rows;
  if (list === undefined || (!settings.local && (await settings.key()) === undefined)) return [];
  const until = clock.monotonic() + WAIT_MS;
  const rows = new Map<string, ListRow>();
  const isWhole = await unlessFailed(context, async () => {
    for await (const page of followPages(api, listRequest(list, list.lookupQuery))) {
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
  await context.lists.write(name, [...rows.values()]);
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

/** Empty for a value with control characters (they act on the terminal) or a leading dash (read as a flag). */
const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !text.startsWith('-') && safeText(text) === text ? text : '';

/** `VOLUME:`, with local names too where `withFiles`; `files` where the shell completes local files better. */
async function volumePaths(
  typed: string,
  tree: CompletionTree,
  context: Context,
  withFiles: boolean,
): Promise<readonly Candidate[] | 'files'> {
  // What follows the colon is not known here. A slash before it, and a Windows drive letter, are local paths.
  const isLocal = /^[^:]*[/\\]/.test(typed) || /^[A-Za-z]:[/\\]/.test(typed);
  if (isLocal || typed.includes(':')) return isLocal && withFiles ? 'files' : [];
  const volumes = (await valuesOf(tree, 'list:volume', { node: {}, args: [] }, context))
    .filter(({ value }) => !/[:/\\]/.test(value))
    .map(({ value, description }) => ({ value: `${value}:`, description }));
  if (!withFiles) return volumes;
  if (!volumes.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))) return 'files';
  // Hidden names only after a dot. A name with a colon would be read as a volume.
  const isOffered = (name: string): boolean =>
    offered(name) !== '' && !name.includes(':') && name.startsWith('.') === typed.startsWith('.');
  const names = (await (await context.durable()).entries('.').catch(() => []))
    .filter(({ name }) => isOffered(name))
    .map(({ name, kind }) => ({ value: kind === 'folder' ? `${name}/` : name, description: '' }));
  return [...volumes, ...names];
}
