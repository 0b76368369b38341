import type { Bytes } from '../../core/unit-types.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import { countOf } from '../../cli/words/words.ts';
import type { FileOutcome } from '../shared/paths/file-outcomes.ts';

/** Counts what a command did to files, one after the other. It keeps only those that failed. */
export interface Tally {
  add(outcome: FileOutcome): void;
  /** Files that were not looked at further, because they are the same. */
  unchanged(count: number): void;
  /** Bytes that arrived, or were there already. */
  arrived(bytes: Bytes): void;
  /** What is shown meanwhile. */
  progress(): string;
  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file removed; 5 files the same; 1 file failed`; `done` is the participle. */
  sentence(done: string): string;
  whole(): Json;
  /** The worst of the failures. */
  failure(): Failure | undefined;
}

/** Below this time a rate says nothing. Milliseconds. */
const LEAST_MS = 100;

export function createTally({ clock, dryRun }: Pick<CommandContext, 'clock' | 'dryRun'>): Tally {
  const startedAt = clock.monotonic();
  const failed: { readonly id: string; readonly failure: Failure }[] = [];
  let [copied, bytes, same, removed, total, sent] = [0, 0, 0, 0, 0, 0];
  const rateOf = (count: Bytes): string => {
    const ms = clock.monotonic() - startedAt;
    return ms < LEAST_MS ? '' : ` in ${formatDuration(ms)} (${formatBytes(Math.round((count * 1000) / ms))}/s)`;
  };
  return {
    add: ({ from, bytes: size, isSame, isRemoved, failure }) => {
      total += 1;
      if (failure !== undefined) failed.push({ id: from, failure });
      else if (isSame === true) same += 1;
      else if (isRemoved === true) removed += 1;
      else {
        copied += 1;
        bytes += size;
      }
    },
    unchanged: (count) => {
      same += count;
      total += count;
    },
    arrived: (count) => {
      sent += count;
    },
    progress: () => `${countOf(total, 'file')}, ${formatBytes(sent)}${rateOf(sent)}`,
    sentence: (done) => {
      const would = dryRun ? 'would be ' : '';
      return [
        `${countOf(copied, 'file')} ${would}${done}, ${formatBytes(bytes)}${dryRun || copied === 0 ? '' : rateOf(bytes)}`,
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
