import type { CommandContext } from '../../cli/model/context.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { type FileOutcome, replacedText, rowOf, viewOf } from './file-outcomes.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { Result } from '../../output/view.ts';

/** Keeps only files that failed. */
export interface Tally {
  add(outcome: FileOutcome): void;
  unchanged(count: number): void;
  expect(files: number, bytes: Bytes): void;
  /** Bytes that arrived, or were there already. */
  arrived(bytes: Bytes, of: FileInFlight): void;
  progress(): string;
  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file failed`; `done` is the participle. */
  sentence(done: string): string;
  whole(): Json;
  failure(): Failure | undefined;
}

export interface FileInFlight {
  readonly from: string;
  readonly bytes: Bytes;
}

/** Below this time a rate says nothing. */
const LEAST_MS: Milliseconds = 100;

export function createTally({ clock, dryRun }: Pick<CommandContext, 'clock' | 'dryRun'>): Tally {
  const startedAt = clock.monotonic();
  const failed: { readonly id: string; readonly failure: Failure }[] = [];
  const inFlight = new Map<string, { readonly bytes: Bytes; sent: Bytes }>();
  let [copied, replaced, bytes, same, removed, total, sent] = [0, 0, 0, 0, 0, 0, 0];
  let expected: { readonly files: number; readonly bytes: Bytes } | undefined;
  const rateOf = (count: Bytes): string => {
    const ms = clock.monotonic() - startedAt;
    return ms < LEAST_MS ? '' : ` in ${formatDuration(ms)} (${formatBytes(Math.round((count * 1000) / ms))}/s)`;
  };
  return {
    add: ({ from, bytes: size, isSame, isReplaced, isRemoved, failure }) => {
      total += 1;
      inFlight.delete(from);
      if (failure !== undefined) failed.push({ id: from, failure });
      else if (isSame === true) same += 1;
      else if (isRemoved === true) removed += 1;
      else {
        copied += 1;
        if (isReplaced === true) replaced += 1;
        bytes += size;
      }
    },
    unchanged: (count) => {
      same += count;
      total += count;
    },
    expect: (files, all) => {
      expected = { files, bytes: all };
    },
    arrived: (count, { from, bytes: size }) => {
      sent += count;
      const file = inFlight.get(from) ?? { bytes: size, sent: 0 };
      file.sent += count;
      if (file.sent < size) inFlight.set(from, file);
      else inFlight.delete(from);
    },
    progress: () => {
      const left = expected === undefined ? 0 : expected.bytes - sent;
      const ms = clock.monotonic() - startedAt;
      const [first] = [...inFlight].sort(([, one], [, other]) => other.bytes - one.bytes);
      return [
        expected === undefined ? countOf(total, 'file') : `${String(total)} of ${countOf(expected.files, 'file')}`,
        `, ${formatBytes(sent)}${expected === undefined ? '' : ` of ${formatBytes(expected.bytes)}`}${rateOf(sent)}`,
        left > 0 && sent > 0 && ms >= LEAST_MS ? `, ${formatDuration((ms * left) / sent)} left` : '',
        first === undefined ? '' : `; ${first[0]} ${formatBytes(first[1].sent)} of ${formatBytes(first[1].bytes)}`,
      ].join('');
    },
    sentence: (done) => {
      const would = dryRun ? 'would be ' : '';
      return [
        `${countOf(copied, 'file')} ${would}${done}, ${formatBytes(bytes)}${dryRun || copied === 0 || done === 'removed' ? '' : rateOf(bytes)}${replacedText(replaced)}`,
        ...(removed === 0 ? [] : [`${countOf(removed, 'file')} ${would}removed`]),
        ...(same === 0 ? [] : [`${countOf(same, 'file')} the same`]),
        ...(failed.length === 0 ? [] : [`${countOf(failed.length, 'file')} failed`]),
      ].join('; ');
    },
    whole: () => ({
      copied,
      bytes,
      same,
      removed,
      failed: failed.length,
      ...(dryRun ? {} : { seconds: Math.round(clock.monotonic() - startedAt) / 1000 }),
    }),
    failure: () => combinedFailure(failed, total),
  };
}

/** Streams outcomes (`--jq`: at the end), then `notes`; fails with the worst. `hasWhole`: one total in JSON. */
export async function printOutcomes(
  ctx: CommandContext,
  outcomes: AsyncIterable<FileOutcome>,
  done: string,
  {
    tally = createTally(ctx),
    hasWhole = false,
    notes = [],
  }: { readonly tally?: Tally; readonly hasWhole?: boolean; readonly notes?: readonly string[] } = {},
): Promise<Result> {
  const view = viewOf(done);
  const isHeld = ctx.output.jq !== undefined;
  const values: Json[] = [];
  const rows = isHeld ? undefined : ctx.rows(view);
  const print = async (row: Json): Promise<void> => {
    if (rows === undefined) values.push(row);
    else await rows.row(row);
  };
  try {
    for await (const outcome of outcomes) {
      tally.add(outcome);
      await print(rowOf(ctx, outcome));
    }
    if (hasWhole && rows?.isJson !== false) await print({ whole: tally.whole() });
  } finally {
    await rows?.close();
  }
  const end = { notes: [tally.sentence(done), ...notes], failure: tally.failure() };
  return isHeld ? { kind: 'many', view, values, ...end } : { kind: 'nothing', ...end };
}
