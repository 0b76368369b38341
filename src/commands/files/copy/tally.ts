import type { Bytes, Milliseconds } from '../../../core/unit-types.ts';
import type { Failure } from '../../../core/failure.ts';
import type { Json } from '../../../core/json.ts';
import { formatBytes, formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { combinedFailure } from '../../../cli/resource/several/combined-failure.ts';
import { countOf } from '../../../cli/words/words.ts';
import { replacedText, type FileOutcome } from '../../shared/paths/file-outcomes.ts';

/** Counts what a command did to files, one after the other. It keeps only those that failed. */
export interface Tally {
  add(outcome: FileOutcome): void;
  /** Files that were not looked at further, because they are the same. */
  unchanged(count: number): void;
  /** How many files and bytes there are in all. */
  expect(files: number, bytes: Bytes): void;
  /** Bytes of a file that arrived, or were there already. */
  arrived(bytes: Bytes, of: FileInFlight): void;
  /** What is shown meanwhile. */
  progress(): string;
  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file removed; 5 files the same; 1 file failed`; `done` is the participle. */
  sentence(done: string): string;
  whole(): Json;
  /** The worst of the failures. */
  failure(): Failure | undefined;
}

/** A file that is copied now. */
export interface FileInFlight {
  /** Its address. */
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
