/** What a plan prints: a row for each thing, its changes line by line, and what all cost. */
import {
  encodeJson,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  memberOf,
  numberAt,
  stringsOf,
} from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { HIDDEN, hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ANYTHING, manyOf, NUMBER, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { ACTIONS, EFFECTS } from '../../fleet/model.ts';
import { withoutVariables } from '../../fleet/variables.ts';
import { text } from '../../output/cells.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';
import { costCell, costLine, dollarsOf, type ItemCost } from './cost.ts';
import { KINDS } from './kinds.ts';
import type { Plan, Planned } from './planned.ts';

export const PLAN = manyOf(
  ownObject(
    {
      action: { ...oneOf(...ACTIONS), description: 'blocked: it cannot be made as described; why says the reason' },
      kind: oneOf(...KINDS),
      name: TEXT,
      changes: manyOf(
        ownObject({
          path: TEXT,
          before: { ...ANYTHING, description: 'null: it has none; *** in place of secrets' },
          after: ANYTHING,
          effect: {
            ...oneOf(...EFFECTS),
            description:
              'restarts: the container disk is erased; release: workers are replaced; next-start: differs until the next start; permanent: cannot be undone; fixed: cannot be changed',
          },
        }),
      ),
      notCompared: { ...manyOf(TEXT), description: 'members that the service never shows' },
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
    },
    {
      unpriced: { ...TEXT, description: 'what is billed beside costAfter, without a published price' },
      id: TEXT,
      why: TEXT,
      destroys: { ...manyOf(TEXT), description: 'what is erased with a pod that is removed' },
      from: { ...TEXT, description: 'FILE:LINE:COLUMN of its document; absent where no file names it' },
    },
  ),
);

export const planView: View = {
  noun: ['thing', 'things'],
  id: text('id'),
  members: [
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
  ].concat(['unpriced', 'from']),
  columns: [
    { header: 'PLAN', show: actionCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    { header: 'CHANGES', show: changeLines, wraps: true },
    { header: 'COST/H', show: (row) => costCell(numberAt(row, 'costBefore'), numberAt(row, 'costAfter')), right: true },
    textColumn('id', { wide: true }),
    textColumn('from', { wide: true }),
  ],
};

const TONES = { none: 'quiet', create: 'good', update: 'warn', delete: 'bad', blocked: 'bad' } as const;

function actionCell(row: Json): Cell {
  const action = text('action')(row);
  return { text: action, tone: TONES[action as keyof typeof TONES] };
}

const EFFECT_WORDS: Readonly<Record<string, string>> = {
  restarts: ' (restarts, container disk erased)',
  release: ' (new release)',
  'next-start': ' (from the next start)',
  permanent: ' (cannot be undone)',
  fixed: ' (cannot be changed)',
};

/** `disk  20 -> 30 (restarts, container disk erased)`. */
function changeLines(row: Json): readonly string[] {
  const action = text('action')(row);
  const changes = action === 'create' ? [] : itemsAt(row, 'changes').map((change) => changeLine(change, action));
  const erased = stringsOf(memberAt(row, 'destroys'));
  const lost = action !== 'delete' ? '' : text('kind')(row) === 'endpoint' ? 'its jobs are cancelled' : '';
  return [...changes, text('why')(row), erased.length === 0 ? lost : `${erased.join(' and ')} erased`].filter(Boolean);
}

function changeLine(change: Json, action: string): string {
  const effect = text('effect')(change);
  const words = action === 'blocked' && effect === 'permanent' ? '' : (EFFECT_WORDS[effect] ?? '');
  return `${text('path')(change)}  ${plain(memberAt(change, 'before'))} -> ${plain(memberAt(change, 'after'))}${words}`;
}

const plain = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? 'none' : encodeJson(value);

export function planRows({ output }: Pick<CommandContext, 'output'>, { planned, hidden }: Plan): readonly JsonObject[] {
  return planned.map((each) => planRow(each, hidden, output.isSecret));
}

function planRow({ document, row, item, cost }: Planned, texts: ReadonlySet<string>, isSecret: IsSecret | undefined) {
  const { kind, name, at } = document;
  const destroyed =
    kind.name !== 'pod' || item.action !== 'delete'
      ? []
      : ['container disk', ...(memberAt(row, 'mounts.persistent') === undefined ? [] : ['persistent mount'])];
  const { besides } = cost.after;
  return {
    action: item.action,
    kind: kind.name,
    name,
    ...(row === undefined ? {} : { id: idOf(row) }),
    changes: item.changes.map(({ path, before, after, effect }) => {
      const shown = shownValue(path, after, texts, isSecret);
      // What a secret replaces was most likely one too.
      const isHidden = before !== null && shown === HIDDEN;
      return { path, before: isHidden ? HIDDEN : shownValue(path, before, texts, isSecret), after: shown, effect };
    }),
    notCompared: item.notCompared,
    ...(item.why === undefined ? {} : { why: item.why }),
    ...(destroyed.length === 0 ? {} : { destroys: destroyed }),
    costBefore: dollarsOf(cost.before),
    costAfter: dollarsOf(cost.after),
    ...(besides.length === 0 ? {} : { unpriced: besides.join('; ') }),
    ...(at([]) === '' ? {} : { from: at([]) }),
  };
}

/** Hidden in every format: a plan is kept in the logs of CI. */
function shownValue(path: string, value: Json, texts: ReadonlySet<string>, isSecret: IsSecret | undefined): Json {
  if (path === 'password') return HIDDEN;
  const shown = withoutVariables(value, texts);
  const variable = path.startsWith('env.') ? path.slice('env.'.length) : undefined;
  if (isSecret === undefined) return shown;
  const hidden = hideSecrets(variable === undefined ? { [path]: shown } : { env: { [variable]: shown } }, isSecret);
  return (variable === undefined ? memberOf(hidden, path) : memberOf(memberOf(hidden, 'env'), variable)) ?? null;
}

const WORDS = { create: 'to create', update: 'to change', delete: 'to remove', blocked: 'blocked', none: 'unchanged' };

export const planNotes = ({ planned }: Plan): readonly Message[] =>
  summary(
    planned.map(({ item }) => item.action),
    WORDS,
    planned.map(({ cost }) => cost),
  );

/** `1 to create, 2 unchanged. Cost: $0.00/h -> $0.69/h`. */
export function summary(
  actions: readonly string[],
  words: Readonly<Record<string, string>>,
  costs: readonly ItemCost[],
): readonly Message[] {
  if (costs.length === 0) return ['The files hold no document.'];
  const counts = Object.entries(words).flatMap(([action, word]) => {
    const count = actions.filter((each) => each === action).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return counts.length === 0 ? [] : [[`${counts.join(', ')}.`, costLine(costs) ?? []].flat().join(' ')];
}
