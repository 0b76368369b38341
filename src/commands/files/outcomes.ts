import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext, Progress } from '../../cli/model/context.ts';
import { either, manyOf, NUMBER, ownObject, TEXT, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import type { Result, View } from '../../output/view.ts';

export interface FileOutcome {
  readonly from: string;
  /** Undefined if removed. */
  readonly to: string | undefined;
  readonly bytes: number;
  /** Same content was already there: nothing was sent. */
  readonly isSame?: boolean;
  /** It replaced, or would replace, other content. */
  readonly isReplaced?: boolean;
  readonly path?: string;
  readonly isRemoved?: boolean;
  /** A dry run: it would be done. */
  readonly isPlanned?: boolean | undefined;
  /** Undefined on success and in a dry run. */
  readonly failure: Failure | undefined;
}

const FILE_OUTCOME = ownObject(
  { from: TEXT, bytes: WHOLE },
  {
    to: TEXT,
    path: { ...TEXT, description: 'below the source' },
    same: { ...YES_NO, description: 'it was there already, and was not sent' },
    replaced: { ...YES_NO, description: 'another content was there, or is; absent where that was not looked at' },
    removed: { ...YES_NO, description: 'it was removed, or would be' },
    ok: { ...YES_NO, description: 'absent in a dry run' },
    error: FAILURE,
  },
);

export const FILE_OUTCOMES = manyOf(FILE_OUTCOME);

/** The last object is the summary. */
export const FILE_OUTCOMES_AND_WHOLE = manyOf(
  either(
    FILE_OUTCOME,
    ownObject({
      whole: ownObject(
        { copied: WHOLE, bytes: WHOLE, same: WHOLE, removed: WHOLE, failed: WHOLE },
        { seconds: NUMBER },
      ),
    }),
  ),
);

export const viewOf = (done: string): View => ({
  noun: ['file', 'files'],
  id: text('from'),
  members: ['from', 'to', 'bytes', 'same', 'replaced', 'removed', 'ok', 'error'],
  columns: [
    {
      header: 'RESULT',
      show: (row) => {
        const ok = memberAt(row, 'ok');
        const is = (member: string): boolean => memberAt(row, member) === true;
        const what = is('removed') ? 'removed' : is('replaced') ? 'replaced' : done;
        if (is('same')) return { text: 'same', tone: 'quiet' };
        if (ok === undefined) return { text: `to be ${what}`, tone: 'quiet' };
        return ok === true ? { text: what, tone: 'good' } : { text: 'failed', tone: 'bad' };
      },
    },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('from', { cutLast: true }),
    { header: 'TO', show: text('to'), cutLast: true },
    { header: 'ERROR', show: text('error.message') },
  ],
});

/** How a write ended that threw: planned in a dry run, failed, or an interrupt, which is thrown. */
export function notDone(error: unknown, ctx: CommandContext): Pick<FileOutcome, 'isPlanned' | 'failure'> {
  if (error instanceof DryRun) return { isPlanned: true, failure: undefined };
  rethrowUnlessFailure(error, ctx);
  return { failure: error };
}

export const rowOf = (
  { settings }: CommandContext,
  { from, to, path, bytes, isSame, isReplaced, isRemoved, isPlanned, failure }: FileOutcome,
): Json => ({
  from,
  ...(to === undefined ? {} : { to }),
  ...(path === undefined ? {} : { path }),
  bytes,
  ...(isSame === true ? { same: true } : {}),
  ...(isReplaced === true ? { replaced: true } : {}),
  ...(isRemoved === true ? { removed: true } : {}),
  ...(isPlanned === true ? {} : { ok: failure === undefined }),
  ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
});

/** Keeps only files that failed. */
export interface Tally {
  add(outcome: FileOutcome): void;
  unchanged(): void;
  readonly arrived: (bytes: Bytes) => void;
  /** Where the progress is shown. */
  showIn(progress: Progress): void;
  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file failed`; `done` is the participle. */
  sentence(done: string): string;
  whole(): Json;
  failure(): Failure | undefined;
}

/** Below this time a rate says nothing. */
const LEAST_MS: Milliseconds = 100;

export function createTally({ clock }: Pick<CommandContext, 'clock'>): Tally {
  const startedAt = clock.monotonic();
  const failed: { readonly id: string; readonly failure: Failure }[] = [];
  let [copied, replaced, bytes, same, removed, total, sent] = [0, 0, 0, 0, 0, 0, 0];
  let isPlan = false;
  let shown: Progress | undefined;
  const rateOf = (count: Bytes): string => {
    const ms = clock.monotonic() - startedAt;
    return ms < LEAST_MS ? '' : ` in ${formatDuration(ms)} (${formatBytes(Math.round((count * 1000) / ms))}/s)`;
  };
  return {
    add: ({ from, bytes: size, isSame, isReplaced, isRemoved, isPlanned, failure }) => {
      total += 1;
      isPlan ||= isPlanned === true;
      if (failure !== undefined) failed.push({ id: from, failure });
      else if (isSame === true) same += 1;
      else if (isRemoved === true) removed += 1;
      else {
        copied += 1;
        if (isReplaced === true) replaced += 1;
        bytes += size;
      }
    },
    unchanged: () => {
      same += 1;
      total += 1;
    },
    arrived: (count) => {
      sent += count;
      shown?.update(`${countOf(total, 'file')}, ${formatBytes(sent)}${rateOf(sent)}`);
    },
    showIn: (progress) => {
      shown = progress;
    },
    sentence: (done) => {
      const would = isPlan ? 'would be ' : '';
      const rate = isPlan || copied === 0 || done === 'removed' ? '' : rateOf(bytes);
      const ofThem = replaced === 0 ? '' : ` (${String(replaced)} replaced)`;
      return [
        `${countOf(copied, 'file')} ${would}${done}, ${formatBytes(bytes)}${rate}${ofThem}`,
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
      ...(isPlan ? {} : { seconds: Math.round(clock.monotonic() - startedAt) / 1000 }),
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
