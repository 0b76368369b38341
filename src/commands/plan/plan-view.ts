import { encodeJson, itemsAt, type Json, memberAt, numberAt, stringsOf } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { ANYTHING, manyOf, NUMBER, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { text } from '../../output/cells.ts';
import type { Cell, View } from '../../output/view.ts';
import { ACTIONS, EFFECTS } from '../../fleet/model.ts';
import { KINDS } from './kinds.ts';

export const PLAN = manyOf(
  ownObject(
    {
      action: {
        ...oneOf(...ACTIONS),
        description: 'blocked: it differs and cannot be made so; why says the reason',
      },
      kind: oneOf(...KINDS),
      name: TEXT,
      changes: manyOf(
        ownObject({
          path: TEXT,
          before: { ...ANYTHING, description: 'null: it has none; *** in the place of secrets' },
          after: ANYTHING,
          effect: {
            ...oneOf(...EFFECTS),
            description:
              'restarts: the container starts anew and its disk is wiped; release: workers are replaced; next-start: it differs until the next start; permanent: it cannot be undone; fixed: it cannot be changed',
          },
        }),
      ),
      notCompared: { ...manyOf(TEXT), description: 'members that the service never shows' },
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: not known' },
    },
    {
      unpriced: { ...TEXT, description: 'what is paid beside costAfter, at a price that is not published' },
      id: TEXT,
      why: TEXT,
      destroys: { ...manyOf(TEXT), description: 'what is destroyed with a pod that is removed' },
      from: { ...TEXT, description: 'FILE:LINE:COLUMN of its document; absent where no file names it: delete' },
    },
  ),
);

export const planView: View = {
  noun: ['thing', 'things'],
  id: text('id'),
  members: [
    ...[
      'action',
      'kind',
      'name',
      'id',
      'changes',
      'notCompared',
      'why',
      'destroys',
      'costBefore',
      'costAfter',
      'unpriced',
      'from',
    ],
  ],
  columns: [
    { header: 'PLAN', show: actionCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    { header: 'CHANGES', show: changesText, wraps: true },
    { header: 'COST/H', show: costText, right: true },
    textColumn('id', { wide: true }),
    textColumn('from', { wide: true }),
  ],
};

const TONES = {
  none: 'quiet',
  create: 'good',
  update: 'warn',
  delete: 'bad',
  blocked: 'bad',
} as const;

function actionCell(row: Json): Cell {
  const action = text('action')(row);
  return { text: action, tone: TONES[action as keyof typeof TONES] };
}

const EFFECT_WORDS: Readonly<Record<string, string>> = {
  restarts: ' (restarts it, its disk is wiped)',
  release: ' (a new release)',
  'next-start': ' (from its next start, and differs until then)',
  permanent: ' (cannot be undone)',
  fixed: ' (cannot be changed)',
};

const DELETED: Readonly<Record<string, string>> = {
  endpoint: 'its jobs are cancelled',
};

/** `disk: 20 -> 30 (restarts it, its disk is wiped); name: a -> b`. */
function changesText(row: Json): string {
  const action = text('action')(row);
  const changes = action === 'create' ? [] : itemsAt(row, 'changes').map((change) => changeText(change, action));
  const destroyed = stringsOf(memberAt(row, 'destroys'));
  const gone =
    destroyed.length === 0 ? '' : `its ${destroyed.join(' and ')} ${destroyed.length === 1 ? 'is' : 'are'} destroyed`;
  const lost = action === 'delete' ? (DELETED[text('kind')(row)] ?? gone) : gone;
  return [...changes, text('why')(row), lost].filter((each) => each !== '').join('; ');
}

function changeText(change: Json, action: string): string {
  const effect = text('effect')(change);
  // What is not done needs no warning that it cannot be undone.
  const words = action === 'blocked' && effect === 'permanent' ? '' : (EFFECT_WORDS[effect] ?? '');
  return `${text('path')(change)}: ${plain(memberAt(change, 'before'))} -> ${plain(memberAt(change, 'after'))}${words}`;
}

const plain = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? 'none' : encodeJson(value);

function costText(row: Json): string {
  const [before, after] = ['costBefore', 'costAfter'].map((member) => dollars(numberAt(row, member)));
  return before === after ? (before ?? '') : `${before ?? ''} -> ${after ?? ''}`;
}

const dollars = (cost: number | undefined): string => (cost === undefined ? '?' : formatDollars(cost));
