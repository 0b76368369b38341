/** What a plan prints: a row for each thing, its changes line by line, and what all cost. */
import { encodeJson, itemsAt, type Json, type JsonObject, memberAt, memberOf, numberAt } from '../../core/json.ts';
import { HIDDEN, hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import { formatDollars } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ANYTHING, manyOf, NUMBER, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { ACTIONS, EFFECTS } from '../../fleet/differences.ts';
import { text } from '../../output/cells.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';
import { withoutVariables } from './documents.ts';
import { KINDS } from './kinds.ts';
import type { Plan } from './make-plan.ts';

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
      costBefore: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
      costAfter: { ...orNull(NUMBER), description: 'US dollars an hour; null: unknown' },
    },
    {
      id: TEXT,
      why: { ...TEXT, description: 'why it is blocked, or what a removal erases' },
      from: { ...TEXT, description: 'FILE:LINE:COLUMN of its document; absent where no file names it' },
    },
  ),
);

const TONES = { none: 'quiet', create: 'good', update: 'warn', delete: 'bad', blocked: 'bad' } as const;

function actionCell(row: Json): Cell {
  const action = text('action')(row);
  return { text: action, tone: TONES[action as keyof typeof TONES] };
}

/** `$0.69/h -> $1.38/h`; once where both are the same. */
function costCell(row: Json): string {
  const [before, after] = ['costBefore', 'costAfter'].map((member) => {
    const cost = numberAt(row, member);
    return cost === undefined ? '?' : formatDollars(cost);
  });
  return before === after ? (before ?? '') : `${before ?? ''} -> ${after ?? ''}`;
}

export const planView: View = {
  noun: ['thing', 'things'],
  id: text('id'),
  members: ['action', 'kind', 'name', 'id', 'changes', 'why', 'costBefore', 'costAfter', 'from'],
  columns: [
    { header: 'PLAN', show: actionCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    { header: 'CHANGES', show: changeLines, wraps: true },
    { header: 'COST/H', show: costCell, right: true },
    textColumn('id', { wide: true }),
    textColumn('from', { wide: true }),
  ],
};

/** What is fixed or cannot shrink is said in `why`. */
const EFFECT_WORDS: Readonly<Record<string, string>> = {
  restarts: ' (restarts, container disk erased)',
  release: ' (new release)',
  'next-start': ' (from the next start)',
  permanent: ' (cannot be undone)',
};

/** `disk  20 -> 30 (restarts, container disk erased)`. */
function changeLines(row: Json): readonly string[] {
  const action = text('action')(row);
  const changes = action === 'create' ? [] : itemsAt(row, 'changes');
  const lines = changes.map((change) => {
    const words = action === 'blocked' ? '' : (EFFECT_WORDS[text('effect')(change)] ?? '');
    return `${text('path')(change)}  ${plain(memberAt(change, 'before'))} -> ${plain(memberAt(change, 'after'))}${words}`;
  });
  return [...lines, text('why')(row)].filter(Boolean);
}

const plain = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? 'none' : encodeJson(value);

export function planRows({ output }: Pick<CommandContext, 'output'>, { planned, hidden }: Plan): readonly JsonObject[] {
  return planned.map(({ document: { kind, name, at }, row, item, cost }) => ({
    action: item.action,
    kind: kind.name,
    name,
    ...(row === undefined ? {} : { id: idOf(row) }),
    changes: item.changes.map(({ path, before, after, effect }) => {
      const shown = shownValue(path, after, hidden, output.isSecret);
      // What a secret replaces was most likely one too.
      const isHidden = before !== null && shown === HIDDEN;
      return {
        path,
        before: isHidden ? HIDDEN : shownValue(path, before, hidden, output.isSecret),
        after: shown,
        effect,
      };
    }),
    ...(item.why === undefined ? {} : { why: item.why }),
    costBefore: cost.before.hourly?.low ?? null,
    costAfter: cost.after.hourly?.low ?? null,
    ...(at([]) === '' ? {} : { from: at([]) }),
  }));
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

/** `1 to create, 2 unchanged.`; `words` by action. */
export function countsOf(actions: readonly string[], words: Readonly<Record<string, string>>): string | undefined {
  const counts = Object.entries(words).flatMap(([action, word]) => {
    const count = actions.filter((each) => each === action).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return counts.length === 0 ? undefined : `${counts.join(', ')}.`;
}
