import type { Failure } from '../../../core/failure.ts';
import { memberAt, numberAt, type Json } from '../../../core/json.ts';
import { formatBytes } from '../../../core/units.ts';
import { FAILURE } from '../../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { either, manyOf, NUMBER, ownObject, TEXT, WHOLE, YES_NO } from '../../../cli/model/output-schema.ts';
import { errorOf } from '../../../cli/resource/several/outcomes.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { text } from '../../../output/cells/cell-functions.ts';
import type { View } from '../../../output/view.ts';

/** What became of one file. */
export interface FileOutcome {
  /** Its address. */
  readonly from: string;
  /** Where it is now; undefined where it was removed. */
  readonly to: string | undefined;
  readonly bytes: number;
  /** It was there already, with the same content: nothing was sent. */
  readonly isSame?: boolean;
  /** It took, or would take, the place of another content. */
  readonly isReplaced?: boolean;
  /** Its path below the folder that is copied. */
  readonly path?: string;
  /** It was removed, by a command that also copies. */
  readonly isRemoved?: boolean;
  /** Why it did not go through; undefined where it did, and in a dry run. */
  readonly failure: Failure | undefined;
}

/** What `--json` prints of a file that a command acted on. */
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

/** The same with an object for the whole, the last. */
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

/** The view of files that a command acted on; `done` is the participle of what was done. */
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

/** `, 2 of them in the place of others`; nothing for none. */
export const replacedText = (count: number): string =>
  count === 0 ? '' : `, ${String(count)} of them in the place of ${count === 1 ? 'another' : 'others'}`;

/** A file that a command acted on, as a row. */
export const rowOf = (
  { dryRun, settings }: CommandContext,
  { from, to, path, bytes, isSame, isReplaced, isRemoved, failure }: FileOutcome,
): Json => ({
  from,
  ...(to === undefined ? {} : { to }),
  ...(path === undefined ? {} : { path }),
  bytes,
  ...(isSame === true ? { same: true } : {}),
  ...(isReplaced === true ? { replaced: true } : {}),
  ...(isRemoved === true ? { removed: true } : {}),
  ...(dryRun && failure === undefined ? {} : { ok: failure === undefined }),
  ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
});
