/** What a value may be: of the service, or of this machine. */
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
import type { CompletionNode, CompletionTree, CompletionValue } from './tree.ts';

/** How long the service is waited for. */
const WAIT_MS: Milliseconds = 1000;
/** In characters. */
const MAX_LENGTH = 200;

/** Empty when the service does not answer in time, or when this machine has no key. */
export async function valuesOf(
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
export async function volumePaths(
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
