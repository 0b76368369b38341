/** What a value may be: of the service, of this machine, of a volume. */
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration, hourlyPrice } from '../../core/units.ts';
import type { Candidate, ListSource } from '../model/collection.ts';
import { rememberedJobs } from '../model/context.ts';
import { followPages } from '../resource/pages.ts';
import { listRequest } from '../resource/requests.ts';
import type { Place } from './place.ts';
import type { CompletionTree, CompletionValue } from './tree.ts';

/** How long the service is waited for. */
const WAIT_MS: Milliseconds = 1000;
/** A longer list is not kept or offered: a shell would take a part of it for all. */
const MAX_ROWS = 10_000;
/** In characters: of a name, and of one word of a description. */
const MAX_LENGTH = 200;

/** Empty when the service does not answer in time, or when this machine has no key. */
export async function valuesOf(
  tree: CompletionTree,
  source: NonNullable<CompletionValue['source']>,
  place: Place,
  context: Context,
): Promise<readonly Candidate[]> {
  switch (source) {
    case 'fields':
      return (place.node.fields ?? []).map((value) => ({ value, description: '' }));
    case 'profile':
      return await profileNames(context);
    case 'job':
      return await jobIds(place, context);
    default: {
      const list = tree.lists[source.replace(/^list:/, '')];
      if (list === undefined) return [];
      const rows = await rowsOf(context, source.replace(/^list:/, ''), () => serviceRows(context, list));
      return candidatesOf(rows, list).filter(({ value }) => !place.args.includes(value));
    }
  }
}

async function profileNames({ profiles }: Context): Promise<readonly Candidate[]> {
  const names = (await profiles.list()).map(({ name, values }) => ({
    value: name,
    description: values['base-url'] ?? '',
  }));
  const local = { value: 'local', description: 'the local service' };
  return names.some(({ value }) => value === local.value) ? names : [...names, local];
}

/** Only jobs that this machine submitted, the latest first. */
async function jobIds({ args }: Place, context: Context): Promise<readonly Candidate[]> {
  const [endpoint = '', ...others] = args;
  // eslint-disable-next-line no-restricted-syntax -- a date: other processes submitted the jobs
  const now = context.clock.now();
  return (await rememberedJobs(context, endpoint))
    .filter(({ id }) => !others.includes(id))
    .map(({ id, at }) => ({ value: id, description: `submitted ${formatDuration(Math.max(0, now - at))} ago` }));
}

/** Rows kept for a minute, else read once. */
async function rowsOf(context: Context, name: string, read: () => AsyncIterable<ListRow>): Promise<readonly ListRow[]> {
  const { lists, settings, clock } = context;
  const kept = await lists.read(name);
  if (kept?.isFresh === true) return kept.rows;
  if (!settings.local && (await settings.key()) === undefined) return [];
  const until = clock.monotonic() + WAIT_MS;
  const rows = new Map<string, ListRow>();
  const isWhole = await unlessFailed(context, async () => {
    for await (const row of read()) {
      if (row.value !== '') rows.set(row.value, row);
      if (rows.size > MAX_ROWS || clock.monotonic() > until) return false;
    }
    return true;
  });
  if (isWhole !== true) return [];
  await lists.write(name, [...rows.values()]);
  return [...rows.values()];
}

async function* serviceRows(context: Context, list: ListSource): AsyncGenerator<ListRow> {
  for await (const row of rawRows(context, list)) yield listRow(row, list);
}

async function* rawRows({ api }: Context, list: ListSource): AsyncGenerator<Json> {
  for await (const page of followPages(api, listRequest(list, list.lookupQuery))) yield* page.rows;
}

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

function listRow(row: Json, { value = 'id', described = ['status'] }: ListSource): ListRow {
  const description = described.map((each) => wordOf(row, each)).filter((word) => word !== '');
  return {
    value: offered(stringAt(row, value)),
    name: offered(stringAt(row, 'name')),
    description: description.join(', '),
  };
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

const VOLUMES = 'list:volume';
/** Volumes are offered wherever they are. */
const NOWHERE: Place = {
  node: { words: [], args: [], flags: [] },
  wanted: { kind: 'nothing' },
  typed: '',
  args: [],
  given: new Map(),
};

interface VolumePaths {
  readonly words: readonly Candidate[];
  /** True where the shell should complete local files: no word can be a volume. */
  readonly onlyFiles: boolean;
}

/** `withFiles` adds names in the working directory. Empty when the service does not answer in time. */
export async function volumePaths(
  typed: string,
  tree: CompletionTree,
  context: Context,
  withFiles: boolean,
): Promise<VolumePaths> {
  const colon = typed.indexOf(':');
  // A slash before the colon, and a Windows drive letter, are local paths.
  if (/^[^:]*[/\\]/.test(typed) || /^[A-Za-z]:[/\\]/.test(typed)) return { words: [], onlyFiles: withFiles };
  if (colon >= 0) {
    const end = Math.max(colon, typed.lastIndexOf('/')) + 1;
    const folder = typed.slice(colon + 1, end).replace(/^\/+/, '');
    const volume = typed.slice(0, colon);
    const rows = await rowsOf(context, `volume-path ${volume}:${folder}`, () =>
      folderRows(context, tree, volume, folder),
    );
    const words = rows.map(({ value, description }) => ({ value: typed.slice(0, end) + value, description }));
    return { words, onlyFiles: false };
  }
  const volumes = (await valuesOf(tree, VOLUMES, NOWHERE, context))
    .filter(({ value }) => !/[:/\\]/.test(value))
    .map(({ value, description }) => ({ value: `${value}:`, description }));
  if (!withFiles) return { words: volumes, onlyFiles: false };
  // The shell completes files better when nothing else can be meant.
  const isMeant = volumes.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
  return { words: isMeant ? [...volumes, ...(await localNames(typed, context))] : [], onlyFiles: !isMeant };
}

/** Hidden names only after a dot. A name with a colon would be read as a volume. */
async function localNames(typed: string, context: Context): Promise<readonly Candidate[]> {
  const found = await (await context.durable()).entries('.').catch(() => []);
  return found
    .filter(({ name }) => offered(name) !== '' && !name.includes(':') && name.startsWith('.') === typed.startsWith('.'))
    .map(({ name, kind }) => ({ value: kind === 'folder' ? `${name}/` : name, description: '' }));
}

/** Files and folders, the folders first. None without such a volume. */
async function* folderRows(
  context: Context,
  tree: CompletionTree,
  word: string,
  folder: string,
): AsyncGenerator<ListRow> {
  const list = tree.lists['volume'];
  if (list === undefined) return;
  const named: Json[] = [];
  for await (const row of rawRows(context, list))
    if ([stringAt(row, 'id'), stringAt(row, 'name')].includes(word)) named.push(row);
  const volume = named.find((row) => stringAt(row, 'id') === word) ?? (named.length === 1 ? named[0] : undefined);
  if (volume === undefined) return;
  const files = await context.volumeFiles({
    id: stringAt(volume, 'id') ?? '',
    dataCenter: stringAt(volume, 'dataCenter') ?? '',
  });
  const later: ListRow[] = [];
  for await (const entry of files.list(folder, true)) {
    const row = { value: offered(entry.key.slice(folder.length)), name: '' };
    if (entry.kind === 'file') later.push({ ...row, description: formatBytes(entry.file.bytes) });
    else yield { ...row, description: '' };
  }
  yield* later;
}
