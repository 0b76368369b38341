/** What a value may be: of the service, of this machine, of a volume. */
import type { Context } from '../../core/context.ts';
import { unlessFailed } from '../../core/failure.ts';
import { type Json, stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { type Candidate, describedBy, type ListSource } from '../model/collection.ts';
import { rememberedJobs } from '../model/context.ts';
import { followPages } from '../resource/pages.ts';
import { listRequest } from '../resource/requests.ts';
import type { CompletionNode, CompletionTree, CompletionValue } from './tree.ts';

/** How long the service is waited for. */
const WAIT_MS: Milliseconds = 1000;
/** A longer list is not kept or offered: a shell would take a part of it for all. */
const MAX_ROWS = 10_000;
/** In characters. */
const MAX_LENGTH = 200;

interface At {
  readonly node: Pick<CompletionNode, 'fields'>;
  readonly args: readonly string[];
}

/** Empty when the service does not answer in time, or when this machine has no key. */
export async function valuesOf(
  tree: CompletionTree,
  source: NonNullable<CompletionValue['source']>,
  { node, args }: At,
  context: Context,
): Promise<readonly Candidate[]> {
  switch (source) {
    case 'fields':
      return (node.fields ?? []).map((value) => ({ value, description: '' }));
    case 'profile': {
      const profiles = await context.profiles.list();
      const own = profiles.map(({ name, values }) => ({ value: name, description: values['base-url'] ?? '' }));
      const isNamed = own.some(({ value }) => value === 'local');
      return isNamed ? own : [...own, { value: 'local', description: 'the local service' }];
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
      const list = tree.lists[name];
      if (list === undefined) return [];
      const rows = await rowsOf(context, name, () => serviceRows(context, list));
      return candidatesOf(rows, list).filter(({ value }) => !args.includes(value));
    }
  }
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

async function* rawRows({ api }: Context, list: ListSource): AsyncGenerator<Json> {
  for await (const page of followPages(api, listRequest(list, list.lookupQuery))) yield* page.rows;
}

async function* serviceRows(context: Context, list: ListSource): AsyncGenerator<ListRow> {
  for await (const row of rawRows(context, list))
    yield {
      value: offered(stringAt(row, list.value ?? 'id')),
      name: offered(stringAt(row, 'name')),
      description: describedBy(row, list).join(', '),
    };
}

/** Each row by its id, and by its name when no other row has that name and names are taken. */
function candidatesOf(rows: readonly ListRow[], { idsOnly }: ListSource): readonly Candidate[] {
  const ids = new Set(rows.map(({ value }) => value));
  const count = (name: string): number => rows.filter((row) => row.name === name).length;
  const describe = (...words: readonly string[]): string => words.filter((word) => word !== '').join(', ');
  return rows.flatMap(({ value, name, description }) => [
    { value, description: describe(name === value ? '' : name, description) },
    ...(idsOnly === true || name === '' || ids.has(name) || count(name) !== 1
      ? []
      : [{ value: name, description: describe(value, description) }]),
  ]);
}

/** Empty for a value with control characters (they act on the terminal) or a leading dash (read as a flag). */
const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !text.startsWith('-') && safeText(text) === text ? text : '';

/** `VOLUME:PATH`, with local names too where `withFiles`; `files` where the shell completes local files better. */
export async function volumePaths(
  typed: string,
  tree: CompletionTree,
  context: Context,
  withFiles: boolean,
): Promise<readonly Candidate[] | 'files'> {
  const colon = typed.indexOf(':');
  // A slash before the colon, and a Windows drive letter, are local paths.
  if (/^[^:]*[/\\]/.test(typed) || /^[A-Za-z]:[/\\]/.test(typed)) return withFiles ? 'files' : [];
  if (colon >= 0) {
    const end = Math.max(colon, typed.lastIndexOf('/')) + 1;
    const [volume, folder] = [typed.slice(0, colon), typed.slice(colon + 1, end).replace(/^\/+/, '')];
    const rows = await rowsOf(context, `volume-path ${volume}:${folder}`, () =>
      folderRows(context, tree, volume, folder),
    );
    return rows.map(({ value, description }) => ({ value: typed.slice(0, end) + value, description }));
  }
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
  const [id = '', dataCenter = ''] = [stringAt(volume, 'id'), stringAt(volume, 'dataCenter')];
  const later: ListRow[] = [];
  for await (const entry of (await context.volumeFiles({ id, dataCenter })).list(folder, true)) {
    const row = { value: offered(entry.key.slice(folder.length)), name: '' };
    if (entry.kind === 'file') later.push({ ...row, description: formatBytes(entry.file.bytes) });
    else yield { ...row, description: '' };
  }
  yield* later;
}
