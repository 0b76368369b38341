import { FAILURE } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, manyOf, NUMBER, ownObject, TEXT, WHOLE, YES_NO } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { errorOf } from '../../cli/resource/several.ts';
import type { Failure } from '../../core/failure.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { text } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';

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

export const replacedText = (count: number): string =>
  count === 0 ? '' : `, ${String(count)} of them in the place of ${count === 1 ? 'another' : 'others'}`;

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
