import { isDeepStrictEqual } from 'node:util';
import { usage } from '../../core/failure.ts';
import type { BatchStatus } from '../model/batch.ts';
import type { ItemCounts } from '../model/item-states.ts';
import { nameOfInputs } from '../read/inputs.ts';
import type { BatchHeader } from '../store/record.ts';

export interface Part {
  readonly status: BatchStatus;
  readonly header: BatchHeader;
}

/** One sum of the shards of a batch; one part is itself. Fails with usage (2) for parts of different batches. */
export function sumOf(parts: readonly Part[]): BatchStatus {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('no results file was named');
  if (others.length === 0) return first.status;
  for (const other of others) checkSameBatch(first, other);
  const shards = parts.map(({ status }) => status).sort((one, other) => indexOf(one) - indexOf(other));
  const given = new Set(shards.map(indexOf));
  const twice = shards.find((shard, at) => indexOf(shard) === indexOf(shards[at - 1]));
  if (twice !== undefined) throw usage(`shard ${String(indexOf(twice))} is named twice: ${twice.name}`);
  const of = first.header.shard?.of ?? 0;
  const states = shards.map(({ state }) => state);
  const sum = (count: (shard: BatchStatus) => number): number => shards.reduce((total, each) => total + count(each), 0);
  const names = Object.keys(first.status.counts) as (keyof ItemCounts)[];
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
    shards,
    missingShards: Array.from({ length: of }, (_, at) => at + 1).filter((index) => !given.has(index)),
  };
}

const indexOf = (status: BatchStatus | undefined): number => status?.shard?.index ?? 0;

function checkSameBatch({ status, header }: Part, other: Part): void {
  if (header.shard === undefined || !isDeepStrictEqual(identityOf(header), identityOf(other.header)))
    throw usage(
      `${status.name} and ${other.status.name} are not shards of one batch`,
      'Name one of them, or only shards.',
    );
}

const identityOf = ({ endpointId, service, shard, input: { inputs, copied: _, ...format } }: BatchHeader) => ({
  ...{ endpointId, service, format, of: shard?.of },
  inputs: inputs.map(({ path: _path, ...content }) => content),
});
