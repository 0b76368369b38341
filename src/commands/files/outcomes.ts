import type { Failure } from '../../core/failure.ts';
import { memberAt, numberAt, type Json } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, ownObject, TEXT, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import { errorOf } from '../../cli/resource/several/outcomes.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { countOf } from '../../cli/words/words.ts';
import { text } from '../../output/cells/cell-functions.ts';
import type { Result, View } from '../../output/view.ts';

/** What became of one file. */
export interface FileOutcome {
  /** Its address. */
  readonly from: string;
  /** Where it is now; undefined where it was removed. */
  readonly to: string | undefined;
  readonly bytes: number;
  /** It was there already, with the same content: nothing was sent. */
  readonly isSame?: boolean;
  /** Why it did not go through; undefined where it did, and in a dry run. */
  readonly failure: Failure | undefined;
}

/** What `--json` prints of files that a command acted on. */
export const FILE_OUTCOMES = manyOf(
  ownObject(
    { from: TEXT, bytes: WHOLE },
    {
      to: TEXT,
      same: { ...YES_NO, description: 'it was there already, and was not sent' },
      ok: { ...YES_NO, description: 'absent in a dry run' },
      error: FAILURE,
    },
  ),
);

const viewOf = (done: string): View => ({
  noun: ['file', 'files'],
  id: text('from'),
  members: ['from', 'to', 'bytes', 'same', 'ok', 'error'],
  columns: [
    {
      header: 'RESULT',
      show: (row) => {
        const ok = memberAt(row, 'ok');
        if (ok === undefined) return { text: `not ${done}`, tone: 'quiet' };
        if (memberAt(row, 'same') === true) return { text: 'same', tone: 'quiet' };
        return ok === true ? { text: done, tone: 'good' } : { text: 'failed', tone: 'bad' };
      },
    },
    { header: 'SIZE', show: (row) => formatBytes(numberAt(row, 'bytes') ?? 0), right: true },
    textColumn('from', { cutLast: true }),
    { header: 'TO', show: text('to'), cutLast: true },
    { header: 'ERROR', show: text('error.message') },
  ],
});

/** The result of a command that acted on files: a row for each; it fails with the worst of the failures. */
export function fileOutcomes(ctx: CommandContext, outcomes: readonly FileOutcome[], done: string): Result {
  const through = outcomes.filter(({ failure, isSame }) => failure === undefined && isSame !== true);
  const same = outcomes.filter(({ isSame }) => isSame === true).length;
  const bytes = through.reduce((sum, each) => sum + each.bytes, 0);
  return {
    kind: 'many',
    view: viewOf(done),
    values: outcomes.map(({ from, to, bytes: size, isSame, failure }): Json => ({
      from,
      ...(to === undefined ? {} : { to }),
      bytes: size,
      ...(isSame === true ? { same: true } : {}),
      ...(ctx.dryRun && failure === undefined ? {} : { ok: failure === undefined }),
      ...(failure === undefined ? {} : { error: errorOf(failure, ctx.settings) }),
    })),
    notes: [
      `${countOf(through.length, 'file')} ${ctx.dryRun ? 'would be ' : ''}${done}, ${formatBytes(bytes)}${same === 0 ? '' : `; ${countOf(same, 'file')} the same`}`,
    ],
    failure: combinedFailure(outcomes.map(({ from, failure }) => ({ id: from, failure }))),
  };
}
