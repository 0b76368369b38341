import { failureSchema, manyOf, ownObject, TEXT, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import type { CommandContext, Progress } from '../../cli/model/context.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import type { Result, View } from '../../output/view.ts';

/** A row, and how it ended. */
export interface FileOutcome {
  readonly from: string;
  readonly to?: string;
  readonly bytes: number;
  readonly same?: true;
  readonly removed?: true;
  /** A dry run: it would be done. */
  readonly isPlanned?: true;
  readonly failure?: Failure | undefined;
}

export const FILE_OUTCOMES = manyOf(
  ownObject(
    { from: TEXT, bytes: WHOLE },
    {
      to: TEXT,
      same: { ...YES_NO, description: 'it was there already, and was not sent' },
      removed: { ...YES_NO, description: 'it was removed, or would be' },
      ok: { ...YES_NO, description: 'absent in a dry run' },
      error: failureSchema(),
    },
  ),
);

export const viewOf = (done: string): View => ({
  noun: ['file', 'files'],
  id: (row) => text(row, 'from'),
  members: ['from', 'to', 'bytes', 'same', 'removed', 'ok', 'error'],
  columns: [
    {
      header: 'RESULT',
      show: (row) => {
        const ok = memberAt(row, 'ok');
        const what = memberAt(row, 'removed') === true ? 'removed' : done;
        if (memberAt(row, 'same') === true) return { text: 'same', tone: 'quiet' };
        if (ok === undefined) return { text: `to be ${what}`, tone: 'quiet' };
        return ok === true ? { text: what, tone: 'good' } : { text: 'failed', tone: 'bad' };
      },
    },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('from', { cutLast: true }),
    { header: 'TO', show: (row) => text(row, 'to'), cutLast: true },
    { header: 'ERROR', show: (row) => text(row, 'error.message') },
  ],
});

/** How a write ended that threw: planned in a dry run, failed, or an interrupt, which is thrown. */
export function notDone(error: unknown, ctx: CommandContext): Pick<FileOutcome, 'isPlanned' | 'failure'> {
  if (error instanceof DryRun) return { isPlanned: true };
  rethrowUnlessFailure(error, ctx);
  return { failure: error };
}

interface Removal extends Pick<FileOutcome, 'from' | 'bytes' | 'removed'> {
  readonly remove: () => Promise<void>;
}

/** Removes several at once; what fails is in its outcome. */
export const removeFiles = (ctx: CommandContext, removals: readonly Removal[]): AsyncGenerator<FileOutcome> =>
  severalAtOnce(removals, ({ remove, ...outcome }) =>
    remove().then(
      () => outcome,
      (error: unknown) => ({ ...outcome, ...notDone(error, ctx) }),
    ),
  );

export const rowOf = ({ settings }: CommandContext, { isPlanned, failure, ...row }: FileOutcome): Json => ({
  ...row,
  ...(isPlanned !== true && { ok: failure === undefined }),
  ...(failure !== undefined && { error: errorOf(failure, settings) }),
});

/** Counts what became of files, and keeps those that failed. */
export class Tally {
  readonly notes: string[] = [];
  /** Of so many, the ETag is no checksum. */
  sizeOnly = 0;
  /** Where the progress is shown. */
  progress: Progress | undefined;
  readonly #elapsed: () => number;
  readonly #failed: { readonly id: string; readonly failure: Failure }[] = [];
  readonly #counts = { done: 0, removed: 0, same: 0 };
  #bytes: Bytes = 0;
  #sent: Bytes = 0;
  #shownAt: Milliseconds = 0;
  #isPlan = false;

  constructor({ clock }: Pick<CommandContext, 'clock'>) {
    const startedAt = clock.monotonic();
    this.#elapsed = () => clock.monotonic() - startedAt;
  }

  add({ from, bytes, same, removed, isPlanned, failure }: FileOutcome): void {
    this.#isPlan ||= isPlanned === true;
    if (failure !== undefined) this.#failed.push({ id: from, failure });
    else if (same === true) this.unchanged();
    else if (removed === true) this.#counts.removed += 1;
    else {
      this.#counts.done += 1;
      this.#bytes += bytes;
    }
  }

  unchanged(): void {
    this.#counts.same += 1;
  }

  arrived(bytes: Bytes): void {
    this.#sent += bytes;
    // A text for each chunk takes a tenth of the CPU time of a download.
    const ms = this.#elapsed();
    if (ms < this.#shownAt + 100) return;
    this.#shownAt = ms;
    this.progress?.update(`${countOf(this.#total(), 'file')}, ${formatBytes(this.#sent)}${this.#rateOf(this.#sent)}`);
  }

  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file failed`; `done` is the participle. */
  sentence(done: string): string {
    const { done: count, removed, same } = this.#counts;
    const would = this.#isPlan ? 'would be ' : '';
    const rate = this.#isPlan || count === 0 || done === 'removed' ? '' : this.#rateOf(this.#bytes);
    const part = (files: number, what: string) => (files === 0 ? [] : [`${countOf(files, 'file')} ${what}`]);
    return [
      `${countOf(count, 'file')} ${would}${done}, ${formatBytes(this.#bytes)}${rate}`,
      ...part(removed, `${would}removed`),
      ...part(same, 'the same'),
      ...part(this.#failed.length, 'failed'),
    ].join('; ');
  }

  failure(): Failure | undefined {
    return combinedFailure(this.#failed, this.#total());
  }

  #total(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, this.#failed.length);
  }

  /** In the first tenth of a second a rate says nothing. */
  #rateOf(bytes: Bytes): string {
    const ms = this.#elapsed();
    return ms < 100 ? '' : ` in ${formatDuration(ms)} (${formatBytes(Math.round((bytes * 1000) / ms))}/s)`;
  }
}

/** Streams outcomes (`--jq`: at the end), then the sum and notes; fails with the worst. */
export async function printOutcomes(
  ctx: CommandContext,
  outcomes: AsyncIterable<FileOutcome>,
  done: string,
  tally = new Tally(ctx),
): Promise<Result> {
  const view = viewOf(done);
  const values: Json[] = [];
  const rows = ctx.output.jq === undefined ? ctx.rows(view) : undefined;
  try {
    for await (const outcome of outcomes) {
      tally.add(outcome);
      const row = rowOf(ctx, outcome);
      if (rows === undefined) values.push(row);
      else await rows.row(row);
    }
  } finally {
    await rows?.close();
  }
  const end = { notes: [tally.sentence(done), ...tally.notes], failure: tally.failure() };
  return rows === undefined ? { kind: 'many', view, values, ...end } : { kind: 'nothing', ...end };
}
