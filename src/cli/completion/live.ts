import { HOUR_MS } from '../../core/durations.ts';
import type { ListRow, RememberedJobs, RememberedList, RememberedLists } from '../../core/ports/remembered.ts';
import type { Clock, DurableFiles, ProfileStore } from '../../core/context.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { rememberedJobs } from '../model/remembered-jobs.ts';
import type { Place } from './place.ts';
import type { Candidate, ListSource } from '../model/completion-sources.ts';
import type { CompletionTree, CompletionValue } from './tree.ts';

/** The parts of the environment that completion uses. */
export interface CompletionPorts {
  readonly lists: RememberedLists;
  readonly jobs: RememberedJobs;
  readonly profiles: Pick<ProfileStore, 'list'>;
  readonly clock: Clock;
  /** The user's aliases, as candidates. */
  readonly aliases: readonly Candidate[];
  /** Reads a list of the service again in a process of its own. Resolves when that process ends, even if it fails. */
  readonly renew: (list: string) => Promise<void>;
  /** What is in a folder of this machine. */
  readonly entries: DurableFiles['entries'];
}

/** A list that was read less than this time ago is offered without reading it again. */
const FRESH_MS: Milliseconds = 30_000;
/** A list that is older than this is not offered. */
const MAX_AGE_MS: Milliseconds = HOUR_MS;
/** How long the first completion of a list waits for it. The whole completion should need at most 300 ms. */
const WAIT_MS = 190;

/**
 * The values of a source. Empty when the service does not return any in time, or when this machine has no key for it.
 */
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

/** The jobs that this machine submitted to the endpoint that the first argument names, the latest first. */
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

/**
 * The rows of a list: fresh ones without a new request, older ones while they are renewed. When there are none, or this
 * machine has changed something since they were read, it waits for a short time until they are read.
 */
export async function rowsOf(list: string, { lists, clock, renew }: CompletionPorts): Promise<readonly ListRow[]> {
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
export function candidatesOf(
  rows: readonly ListRow[],
  { idsOnly }: Pick<ListSource, 'idsOnly'> = {},
): readonly Candidate[] {
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
