import type { CompletionFlag, CompletionNode, CompletionTree, CompletionValue } from './tree.ts';
import type { Candidate, ListSource } from '../model/collection.ts';
import { rememberedJobs } from '../model/context.ts';
import { followPages } from '../resource/pages.ts';
import { listRequest } from '../resource/requests.ts';
import { verbOf } from '../words.ts';
import type { Clock, Context, DurableFiles, ProfileStore } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { ListRow, RememberedJobs, RememberedList, RememberedLists } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import { HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration, hourlyPrice } from '../../core/units.ts';

export interface CompletionPorts {
  readonly lists: RememberedLists;
  readonly jobs: RememberedJobs;
  readonly profiles: Pick<ProfileStore, 'list'>;
  readonly clock: Clock;
  readonly aliases: readonly Candidate[];
  /** Reads a list again in a separate process. Resolves when that process ends, even if it fails. */
  readonly renew: (list: string) => Promise<void>;
  readonly entries: DurableFiles['entries'];
}

/** A younger list is offered without reading it again. */
const FRESH_MS: Milliseconds = 30_000;
/** An older list is not offered. */
const MAX_AGE_MS: Milliseconds = HOUR_MS;
/** Leaves time for the rest: the complete completion should take at most 300 ms. */
const WAIT_MS = 190;

/** Empty when the service does not answer in time, or when this machine has no key. */
export async function valuesOf(
  tree: CompletionTree,
  source: NonNullable<CompletionValue['source']>,
  place: Place,
  ports: CompletionPorts,
): Promise<readonly Candidate[]> {
  switch (source) {
    case 'fields':
      return (place.node.fields ?? []).map((value) => ({ value, description: '' }));
    case 'profile':
      return await profileNames(ports);
    case 'job':
      return await jobIds(place, ports);
    default:
      return source.startsWith('list:') ? await listValues(tree, source.slice('list:'.length), place, ports) : [];
  }
}

async function profileNames({ profiles }: CompletionPorts): Promise<readonly Candidate[]> {
  const names = (await profiles.list()).map(({ name, values }) => ({
    value: name,
    description: values['base-url'] ?? '',
  }));
  const local = { value: 'local', description: 'the local service' };
  return names.some(({ value }) => value === local.value) ? names : [...names, local];
}

/** Only jobs that this machine submitted, the latest first. */
async function jobIds({ args }: Place, ports: CompletionPorts): Promise<readonly Candidate[]> {
  const [endpoint = '', ...others] = args;
  // eslint-disable-next-line no-restricted-syntax -- a date: other processes submitted the jobs
  const now = ports.clock.now();
  return (await rememberedJobs(ports, endpoint))
    .filter(({ id }) => !others.includes(id))
    .map(({ id, at }) => ({ value: id, description: `submitted ${formatDuration(Math.max(0, now - at))} ago` }));
}

async function listValues(
  tree: CompletionTree,
  list: string,
  { args }: Place,
  ports: CompletionPorts,
): Promise<readonly Candidate[]> {
  const source = tree.lists[list];
  if (source === undefined) return [];
  return candidatesOf(await rowsOf(list, ports), source).filter(({ value }) => !args.includes(value));
}

/** Offers older rows while they are renewed; waits briefly if there are none or this machine changed some. */
async function rowsOf(list: string, { lists, clock, renew }: CompletionPorts): Promise<readonly ListRow[]> {
  const known = await lists.read(list);
  const usable = rowsUpTo(known, MAX_AGE_MS);
  const isFresh = known !== undefined && known.ageMs <= FRESH_MS && !known.expired;
  if (isFresh || !(await lists.mayRenew(list))) return usable;
  const renewed = renew(list);
  if (usable.length > 0 && known?.expired === false) return usable;
  const waited = new AbortController();
  await Promise.race([renewed, clock.sleep(WAIT_MS, waited.signal).catch(() => undefined)]);
  waited.abort();
  return rowsUpTo(await lists.read(list), MAX_AGE_MS);
}

const rowsUpTo = (list: RememberedList | undefined, ageMs: Milliseconds): readonly ListRow[] =>
  list !== undefined && list.ageMs <= ageMs ? list.rows : [];

/** Each row by its id, and by its name when no other row has that name and names are taken. */
function candidatesOf(rows: readonly ListRow[], { idsOnly }: Pick<ListSource, 'idsOnly'> = {}): readonly Candidate[] {
  const ids = new Set(rows.map(({ value }) => value));
  const names = new Map<string, number>();
  for (const { name } of rows) names.set(name, (names.get(name) ?? 0) + 1);
  const describe = (...words: readonly string[]): string => words.filter((word) => word !== '').join(', ');
  return rows.flatMap(({ value, name, description }) => [
    { value, description: describe(name === value ? '' : name, description) },
    ...(idsOnly === true || name === '' || ids.has(name) || names.get(name) !== 1
      ? []
      : [{ value: name, description: describe(value, description) }]),
  ]);
}

export type Wanted =
  | { readonly kind: 'word' }
  | { readonly kind: 'flag' }
  /** `before` is the text before the value in the same word: `--status=`, or empty. */
  | { readonly kind: 'value'; readonly value: CompletionValue; readonly before: string }
  | { readonly kind: 'nothing' };

export interface Place {
  readonly node: CompletionNode;
  readonly wanted: Wanted;
  readonly typed: string;
  readonly args: readonly string[];
  /** By name: the value, or true for a switch. */
  readonly given: ReadonlyMap<string, string | true>;
}

/** `words` follow `berth`. Unknown words and flags are skipped, so that the rest is still completed. */
export function placeOf(tree: CompletionTree, words: readonly string[]): Place {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  let path = '';
  let node = nodeAt(tree, path);
  const args: string[] = [];
  const given = new Map<string, string | true>();
  let open: CompletionFlag | undefined;
  let flagsEnded = false;
  for (const word of before) {
    if (open !== undefined) {
      given.set(open.flag, word);
      open = undefined;
    } else if (!flagsEnded && word === '--') {
      flagsEnded = true;
    } else if (!flagsEnded && word.length > 1 && word.startsWith('-')) {
      const [name = '', ...rest] = word.split('=');
      const flag = flagNamed(tree, node, name);
      if (flag === undefined) continue;
      if (flag.value === undefined) given.set(flag.flag, true);
      else if (rest.length > 0) given.set(flag.flag, rest.join('='));
      else open = flag;
    } else {
      const next = verbOf(
        word,
        node.words.map((each) => each.word),
      );
      if (next === undefined) {
        if (node.args[args.length]?.source === 'command') flagsEnded = true;
        args.push(word);
      } else {
        path = path === '' ? next : `${path} ${next}`;
        node = nodeAt(tree, path);
      }
    }
  }
  const place = { node, typed, args, given };
  if (open?.value !== undefined) return { ...place, wanted: { kind: 'value', value: open.value, before: '' } };
  if (!flagsEnded && typed.startsWith('-')) return flagPlace(tree, place);
  return { ...place, wanted: wantedWord(node, args.length) };
}

function flagPlace(tree: CompletionTree, place: Omit<Place, 'wanted'>): Place {
  const { node, typed } = place;
  const equals = typed.indexOf('=');
  if (equals < 0) return { ...place, wanted: { kind: 'flag' } };
  const value = flagNamed(tree, node, typed.slice(0, equals))?.value;
  if (value === undefined) return { ...place, wanted: { kind: 'nothing' } };
  const before = typed.slice(0, equals + 1);
  return { ...place, typed: typed.slice(equals + 1), wanted: { kind: 'value', value, before } };
}

function wantedWord(node: CompletionNode, position: number): Wanted {
  // An unknown word where a verb is expected: the words after it are unknown too.
  if (node.words.length > 0) return { kind: position === 0 ? 'word' : 'nothing' };
  const last = node.args.at(-1);
  const value = node.args[position] ?? (last?.many === true ? last : undefined);
  return value === undefined ? { kind: 'nothing' } : { kind: 'value', value, before: '' };
}

const NOTHING: CompletionNode = { words: [], args: [], flags: [] };

const nodeAt = (tree: CompletionTree, path: string): CompletionNode => tree.nodes[path] ?? NOTHING;

const flagNamed = (tree: CompletionTree, node: CompletionNode, name: string): CompletionFlag | undefined =>
  [...node.flags, ...tree.globals].find(({ flag, short }) => flag === name || short === name);

/** A longer list is not kept or offered: a shell would take a part of it for all. */
const MAX_ROWS = 10_000;
/** In characters: of a name, and of one word of a description. */
const MAX_LENGTH = 200;
const DEADLINE_MS: Milliseconds = 10_000;

/** Keeps all rows or none. Sends nothing without a key. Fails as `followPages` does. */
export async function renewList({ api, settings, lists }: Context, list: string, source: ListSource): Promise<void> {
  if (!settings.local && (await settings.key()) === undefined) return;
  const rows = new Map<string, ListRow>();
  for await (const each of rowsOfList(api, source)) {
    for (const row of listRow(each, source)) rows.set(row.value, row);
    if (rows.size > MAX_ROWS) break;
  }
  await lists.write(list, rows.size > MAX_ROWS ? [] : [...rows.values()]);
}

async function* rowsOfList(api: Context['api'], source: ListSource): AsyncGenerator<Json> {
  const request = { ...listRequest(source, source.lookupQuery), deadlineMs: DEADLINE_MS };
  for await (const page of followPages(api, request)) yield* page.rows;
}

function listRow(row: Json, { value = 'id', described = ['status'] }: ListSource): readonly ListRow[] {
  const id = offered(stringAt(row, value));
  if (id === '') return [];
  const description = described.map((each) => wordOf(row, each)).filter((word) => word !== '');
  return [{ value: id, name: offered(stringAt(row, 'name')), description: description.join(', ') }];
}

/** Empty for a value with control characters (they act on the terminal) or a leading dash (read as a flag). */
const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !text.startsWith('-') && safeText(text) === text ? text : '';

function wordOf(row: Json, described: NonNullable<ListSource['described']>[number]): string {
  if (typeof described === 'string') return safeText(stringAt(row, described) ?? '').slice(0, MAX_LENGTH);
  if ('gigabytes' in described) {
    const size = numberAt(row, described.gigabytes);
    return size === undefined ? '' : `${size} GB`;
  }
  return hourlyPrice(numberAt(row, described.hourly));
}

/** `VOLUME:FOLDER` follows. */
const LIST = 'volume-path ';

const VOLUMES = 'volume';

/** `VOLUME:FOLDER`; undefined for any other list. */
export const folderOfList = (list: string): string | undefined =>
  list.startsWith(LIST) ? list.slice(LIST.length) : undefined;

interface VolumePaths {
  readonly words: readonly Candidate[];
  /** True where the shell should complete local files: no word can be a volume. */
  readonly onlyFiles: boolean;
}

/** `withFiles` adds names in the working directory. Empty when the service does not answer in time. */
export async function volumePaths(typed: string, ports: CompletionPorts, withFiles: boolean): Promise<VolumePaths> {
  const colon = typed.indexOf(':');
  // A slash before the colon, and a Windows drive letter, are local paths.
  if (/^[^:]*[/\\]/.test(typed) || /^[A-Za-z]:[/\\]/.test(typed)) return { words: [], onlyFiles: withFiles };
  if (colon >= 0) {
    const end = Math.max(colon, typed.lastIndexOf('/')) + 1;
    const folder = typed.slice(colon + 1, end).replace(/^\/+/, '');
    const rows = await rowsOf(`${LIST}${typed.slice(0, colon)}:${folder}`, ports);
    const words = rows.map(({ value, description }) => ({ value: typed.slice(0, end) + value, description }));
    return { words, onlyFiles: false };
  }
  const volumes = candidatesOf(await rowsOf(VOLUMES, ports))
    .filter(({ value }) => !/[:/\\]/.test(value))
    .map(({ value, description }) => ({ value: `${value}:`, description }));
  if (!withFiles) return { words: volumes, onlyFiles: false };
  // The shell completes files better when nothing else can be meant.
  const isMeant = volumes.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
  return { words: isMeant ? [...volumes, ...(await localNames(typed, ports))] : [], onlyFiles: !isMeant };
}

/** Hidden names only after a dot. A name with a colon would be read as a volume. */
async function localNames(typed: string, { entries }: CompletionPorts): Promise<readonly Candidate[]> {
  const found = await entries('.').catch(() => []);
  return found
    .filter(({ name }) => offered(name) !== '' && !name.includes(':') && name.startsWith('.') === typed.startsWith('.'))
    .map(({ name, kind }) => ({ value: kind === 'folder' ? `${name}/` : name, description: '' }));
}

/** Keeps all or nothing; nothing without such a volume. Fails for a folder with more than can be offered. */
export async function renewFolder(context: Context, folder: string, sources: CompletionTree['lists']): Promise<void> {
  const { settings, lists } = context;
  if (!settings.local && (await settings.key()) === undefined) return;
  const colon = folder.indexOf(':');
  const [word, prefix] = [folder.slice(0, colon), folder.slice(colon + 1)];
  const source = sources[VOLUMES];
  const row = source === undefined ? undefined : await volumeOf(context, word, source);
  if (row === undefined) return;
  const volume = await context.volumeFiles({
    id: stringAt(row, 'id') ?? '',
    dataCenter: stringAt(row, 'dataCenter') ?? '',
  });
  const rows: ListRow[] = [];
  for await (const entry of volume.list(prefix, true)) {
    if (rows.length === MAX_ROWS) throw localFile(`${folder} has more than ${String(MAX_ROWS)} files and folders`);
    const description = entry.kind === 'file' ? formatBytes(entry.file.bytes) : '';
    rows.push({ value: offered(entry.key.slice(prefix.length)), name: '', description });
  }
  const isFolder = ({ value }: ListRow): boolean => value.endsWith('/');
  const usable = rows.filter(({ value }) => value !== '');
  await lists.write(`${LIST}${folder}`, [...usable.filter(isFolder), ...usable.filter((row) => !isFolder(row))]);
}

async function volumeOf({ api }: Context, word: string, source: ListSource): Promise<Json | undefined> {
  const named: Json[] = [];
  for await (const row of rowsOfList(api, source)) {
    if (stringAt(row, 'id') === word) return row;
    if (stringAt(row, 'name') === word) named.push(row);
  }
  return named.length === 1 ? named[0] : undefined;
}
