import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext, Progress } from '../../cli/model/context.ts';
import { either, manyOf, NUMBER, ownObject, TEXT, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import type { Clock } from '../../core/context.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import { severalAtOnce } from '../../core/several-at-once.ts';
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

/** Removes several at once; what fails is in its outcome. */
export const removeFiles = <T>(
  ctx: CommandContext,
  files: readonly T[],
  workOn: (file: T) => {
    readonly about: Omit<FileOutcome, 'to' | 'failure'>;
    readonly remove: () => Promise<void>;
  },
): AsyncGenerator<FileOutcome> =>
  severalAtOnce(files, async (file) => {
    const { about, remove } = workOn(file);
    const outcome = { ...about, to: undefined, failure: undefined };
    return await remove().then(
      () => outcome,
      (error: unknown) => ({ ...outcome, ...notDone(error, ctx) }),
    );
  });

export const rowOf = (
  { settings }: CommandContext,
  { from, to, path, bytes, isSame, isReplaced, isRemoved, isPlanned, failure }: FileOutcome,
): Json => ({
  ...{ from, ...(to !== undefined && { to }), ...(path !== undefined && { path }), bytes },
  ...(isSame === true && { same: true }),
  ...(isReplaced === true && { replaced: true }),
  ...(isRemoved === true && { removed: true }),
  ...(isPlanned !== true && { ok: failure === undefined }),
  ...(failure !== undefined && { error: errorOf(failure, settings) }),
});

/** Below this time a rate says nothing. */
const LEAST_MS: Milliseconds = 100;

/** Counts what became of files, and keeps those that failed. */
export class Tally {
  readonly #clock: Clock;
  readonly #startedAt: Milliseconds;
  readonly #failed: { readonly id: string; readonly failure: Failure }[] = [];
  #whole = { copied: 0, bytes: 0, same: 0, removed: 0 };
  #replaced = 0;
  #total = 0;
  #sent: Bytes = 0;
  #isPlan = false;
  /** Where the progress is shown. */
  progress: Progress | undefined;

  constructor({ clock }: Pick<CommandContext, 'clock'>) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  add({ from, bytes, isSame, isReplaced, isRemoved, isPlanned, failure }: FileOutcome): void {
    this.#total += 1;
    this.#isPlan ||= isPlanned === true;
    if (failure !== undefined) this.#failed.push({ id: from, failure });
    else if (isSame === true) this.#whole.same += 1;
    else if (isRemoved === true) this.#whole.removed += 1;
    else {
      this.#whole.copied += 1;
      this.#whole.bytes += bytes;
      if (isReplaced === true) this.#replaced += 1;
    }
  }

  unchanged(): void {
    this.#whole.same += 1;
    this.#total += 1;
  }

  arrived(bytes: Bytes): void {
    this.#sent += bytes;
    this.progress?.update(`${countOf(this.#total, 'file')}, ${formatBytes(this.#sent)}${this.#rateOf(this.#sent)}`);
  }

  /** `3 files copied, 12 MB in 2s (6 MB/s); 1 file failed`; `done` is the participle. */
  sentence(done: string): string {
    const { copied, bytes, same, removed } = this.#whole;
    const would = this.#isPlan ? 'would be ' : '';
    const rate = this.#isPlan || copied === 0 || done === 'removed' ? '' : this.#rateOf(bytes);
    const ofThem = this.#replaced === 0 ? '' : ` (${String(this.#replaced)} replaced)`;
    const part = (count: number, what: string) => (count === 0 ? [] : [`${countOf(count, 'file')} ${what}`]);
    return [
      `${countOf(copied, 'file')} ${would}${done}, ${formatBytes(bytes)}${rate}${ofThem}`,
      ...part(removed, `${would}removed`),
      ...part(same, 'the same'),
      ...part(this.#failed.length, 'failed'),
    ].join('; ');
  }

  whole(): Json {
    const seconds = Math.round(this.#clock.monotonic() - this.#startedAt) / 1000;
    return { ...this.#whole, failed: this.#failed.length, ...(this.#isPlan ? {} : { seconds }) };
  }

  failure(): Failure | undefined {
    return combinedFailure(this.#failed, this.#total);
  }

  #rateOf(bytes: Bytes): string {
    const ms = this.#clock.monotonic() - this.#startedAt;
    return ms < LEAST_MS ? '' : ` in ${formatDuration(ms)} (${formatBytes(Math.round((bytes * 1000) / ms))}/s)`;
  }
}

interface Printed {
  readonly tally?: Tally;
  /** One total in JSON. */
  readonly hasWhole?: boolean;
  readonly notes?: readonly string[];
}

/** Streams outcomes (`--jq`: at the end), then `notes`; fails with the worst. */
export async function printOutcomes(
  ctx: CommandContext,
  outcomes: AsyncIterable<FileOutcome>,
  done: string,
  { tally = new Tally(ctx), hasWhole = false, notes = [] }: Printed = {},
): Promise<Result> {
  const view = viewOf(done);
  const values: Json[] = [];
  const rows = ctx.output.jq === undefined ? ctx.rows(view) : undefined;
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
  return rows === undefined ? { kind: 'many', view, values, ...end } : { kind: 'nothing', ...end };
}
