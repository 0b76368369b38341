import { memberAt, stringAt, type Json } from '../../core/json.ts';
import { manyOf, NUMBER, oneOf, orNull, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { FAILURE } from '../../cli/model/common-schemas.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { text } from '../../output/cells/cell-functions.ts';
import type { Cell, View } from '../../output/view.ts';
import { ACTIONS } from '../../fleet/model.ts';
import { KINDS } from '../plan/document/kinds.ts';

/** What `apply --json` prints: an outcome for each document. */
export const APPLIED = manyOf(
  ownObject(
    {
      action: {
        ...oneOf(...ACTIONS),
        description: 'what was done, or was to be done where done is false; none: it was as described',
      },
      kind: oneOf(...KINDS),
      name: TEXT,
      ok: YES_NO,
      done: { ...YES_NO, description: 'whether it was done; true beside ok false: it was made, and is not ready' },
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
    },
    { id: TEXT, error: FAILURE },
  ),
);

const DONE: Readonly<Record<string, string>> = {
  none: 'as described',
  create: 'created',
  update: 'changed',
  delete: 'removed',
};

function resultCell(row: Json): Cell {
  const done = DONE[text('action')(row)] ?? '';
  if (memberAt(row, 'ok') === true) return { text: done, tone: 'good' };
  if (memberAt(row, 'done') === true) return { text: done, tone: 'bad' };
  const code = stringAt(row, 'error.code');
  if (code === 'not-sent') return { text: 'not sent', tone: 'quiet' };
  return { text: code === 'outcome-unknown' ? 'not known' : 'failed', tone: 'bad' };
}

export const appliedView: View = {
  noun: ['thing', 'things'],
  id: text('id'),
  members: ['action', 'kind', 'name', 'id', 'ok', 'done', 'costBefore', 'costAfter', 'error'],
  columns: [
    { header: 'RESULT', show: resultCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    textColumn('id'),
    { header: 'ERROR', show: text('error.message') },
  ],
};
