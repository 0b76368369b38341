import { isDeepStrictEqual } from 'node:util';
import { usage } from '../../core/failure.ts';
import type { BatchStatus, ResultLine } from '../model/batch.ts';
import { type ItemCounts, itemsLeft } from '../model/item-states.ts';
import { type InputPorts, nameOfInputs } from '../read/inputs.ts';
import { findBatch, inputName, inputPaths, locateInputs } from './find-batch.ts';
import { lockPath, OWN_ENDS } from './paths.ts';
import type { BatchHeader } from './record.ts';
import { replayJournal } from './replay.ts';
import { intactResults, resultsChanged, resultsInOrder, storedResults } from './results-file.ts';

/** Changes nothing. Fails with local-file (14). */
export async function readStatus({ durable }: Pick<InputPorts, 'durable'>, results: string) {
  const { path } = await findBatch(durable, results);
  const holder = await durable.holder(lockPath(path));
  const journal = await replayJournal(durable, path);
  const { header, states, resubmitted, lastEndedAt } = journal;
  const { endpoint, service, invalid, shard, createdAt: begunAt } = header;
  // Submissions without a recorded answer are unknown once nobody waits for it.
  const lost = holder === undefined ? [...states.items('sending')] : [];
  const known = states.counts();
  const counts = { ...known, unknown: known.unknown + lost.length, inFlight: known.inFlight - lost.length };
  const left = itemsLeft(counts) > 0;
  const unordered = !left && !journal.inOrder && (header.ordered || journal.hasRerunItems);
  const resumable = left || unordered;
  const status: BatchStatus = {
    endpoint,
    service,
    invalid,
    counts,
    unordered,
    resumable,
    holder,
    begunAt,
    lastEndedAt,
    resubmitted,
    shard,
    name: path,
    input: inputName(path, header),
    unknownItems: [...states.items('unknown'), ...lost].sort((a, b) => a - b),
    state: holder !== undefined ? 'running' : resumable ? 'stopped' : 'ended',
  };
  return { status, journal, header };
}

/** A running batch may change the files during the reading. */
const MAX_ATTEMPTS = 3;

/** The batch may still run. Fails with local-file (14) for a broken journal or other results. */
export async function readBatchResults(ports: InputPorts, results: string) {
  const { durable, signal } = ports;
  for (let attempt = 1; ; attempt++) {
    const { status, journal, header } = await readStatus(ports, results);
    const path = status.name;
    const source = await intactResults(durable, path, journal, signal);
    // A running batch may have put its results in order since its journal was read.
    if (source === undefined && status.holder !== undefined && attempt < MAX_ATTEMPTS) continue;
    if (source === undefined) throw resultsChanged(path);
    return {
      status,
      journal,
      header,
      /** Absolute paths; no export replaces them. */
      files: [path, ...OWN_ENDS.map((end) => path + end), ...inputPaths(path, header)].map((each) =>
        durable.absolute(each),
      ),
      /** The last line of each item that has ended. */
      lines: (order: 'as-stored' | 'in-order'): AsyncGenerator<Iterable<ResultLine>> =>
        (order === 'in-order' ? resultsInOrder : storedResults)(durable, source, signal),
      /** Compares them. Fails with usage (2). */
      inputs: () => locateInputs(ports, { path, header }, []),
    };
  }
}

interface Part {
  readonly status: BatchStatus;
  readonly header: BatchHeader;
}

/** One sum of the shards of a batch; one part is itself. Fails with usage (2) for parts of different batches. */
export function sumOf(parts: readonly Part[]): BatchStatus {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('no results file was named');
  if (others.length === 0) return first.status;
  for (const other of others)
    if (first.header.shard === undefined || !isDeepStrictEqual(contentOf(first.header), contentOf(other.header)))
      throw usage(
        `${first.status.name} and ${other.status.name} are not shards of one batch`,
        'Name one of them, or only shards.',
      );
  const shards = parts.map(({ status }) => status).sort((one, other) => indexOf(one) - indexOf(other));
  const given = new Set(shards.map(indexOf));
  const twice = shards.find((shard, at) => indexOf(shard) === indexOf(shards[at - 1]));
  if (twice !== undefined) throw usage(`shard ${String(indexOf(twice))} is named twice: ${twice.name}`);
  const states = shards.map(({ state }) => state);
  const sum = (count: (shard: BatchStatus) => number): number => shards.reduce((total, each) => total + count(each), 0);
  const names = Object.keys(first.status.counts) as (keyof ItemCounts)[];
  const ends = shards.flatMap(({ lastEndedAt }) => lastEndedAt ?? []);
  return {
    ...first.status,
    name: nameOfInputs(shards.map(({ name }) => name)),
    counts: Object.fromEntries(names.map((name) => [name, sum(({ counts }) => counts[name])])) as ItemCounts,
    invalid: sum(({ invalid }) => invalid),
    resubmitted: sum(({ resubmitted }) => resubmitted),
    unknownItems: shards.flatMap(({ unknownItems }) => unknownItems).sort((one, other) => one - other),
    unordered: shards.some(({ unordered }) => unordered),
    resumable: shards.some(({ resumable }) => resumable),
    state: (['running', 'stopped'] as const).find((state) => states.includes(state)) ?? 'ended',
    holder: undefined,
    begunAt: Math.min(...shards.map(({ begunAt }) => begunAt)),
    lastEndedAt: ends.length === 0 ? undefined : Math.max(...ends),
    shards,
    missingShards: Array.from({ length: first.header.shard?.of ?? 0 }, (_, at) => at + 1).filter(
      (index) => !given.has(index),
    ),
  };
}

const indexOf = (status: BatchStatus | undefined): number => status?.shard?.index ?? 0;

/** What the shards of a batch have in common. */
const contentOf = ({ endpointId, service, shard, input: { inputs, copied: _, ...format } }: BatchHeader) => ({
  endpointId,
  service,
  format,
  of: shard?.of,
  inputs: inputs.map(({ path: _path, ...content }) => content),
});
