/** What a plan prints: a row for each thing, its changes line by line, and what all cost. */

import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ANYTHING, manyOf, NUMBER, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg, onlyWith, option } from '../../cli/model/params.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { withoutVariables } from './documents.ts';
import { KINDS } from './kinds.ts';
import { costLine, makePlan, type Plan } from './make-plan.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { encodeJson, itemsAt, type Json, type JsonObject, memberAt, memberOf, numberAt } from '../../core/json.ts';
import { HIDDEN, hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import { formatDollars } from '../../core/units.ts';
import { ACTIONS, EFFECTS } from '../../fleet/differences.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Cell, idOf, type View } from '../../output/view.ts';

const PLAN = manyOf(
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
  const action = text(row, 'action');
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
  id: (row) => text(row, 'id'),
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
  const action = text(row, 'action');
  const changes = action === 'create' ? [] : itemsAt(row, 'changes');
  const lines = changes.map((change) => {
    const words = action === 'blocked' ? '' : (EFFECT_WORDS[text(change, 'effect')] ?? '');
    return `${text(change, 'path')}  ${plain(memberAt(change, 'before'))} -> ${plain(memberAt(change, 'after'))}${words}`;
  });
  return [...lines, text(row, 'why')].filter(Boolean);
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

/** `apply` has the same. */
export const PLAN_INPUT = {
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts('replace ${NAME} in the files by variables of this file', {
      metavar: 'FILE',
      complete: 'file',
    }),
    setName: option.text('mark what apply creates as this set (BERTH_SET)', { metavar: 'NAME' }),
    prune: onlyWith(['setName'], option.on('remove what is marked and in no file')),
  },
} as const;

const WORDS = { create: 'to create', update: 'to change', delete: 'to remove', blocked: 'blocked', none: 'unchanged' };

export const plan = defineCommand({
  summary: 'compare files with the account',
  details:
    'Compares only the members that a file gives; null clears one. A thing is found by kind and name, or by id. Ends 0 when nothing differs, 16 when something does. docs/guides/fleet-in-files.md',
  ...PLAN_INPUT,
  exits: [EXIT.planDiffers],
  output: () => PLAN,
  examples: [
    ['berth plan fleet.yaml', 'what differs, member by member'],
    ['berth plan fleet/ --env-from variables.env', 'all files of a folder, with variables'],
    ['berth plan fleet/ --set-name web --prune', 'what a prune would remove too'],
    ['berth plan fleet.yaml --json', 'in CI: ends 16 when something differs'],
  ],
  run: async (ctx, input) => {
    const made = await makePlan(ctx, input);
    const actions = made.planned.map(({ item }) => item.action);
    const notes = [countsOf(actions, WORDS) ?? 'The files hold no document.', costLine(made) ?? []].flat().join(' ');
    return {
      kind: 'many',
      view: planView,
      values: planRows(ctx, made),
      notes: isTableOutput(ctx.output) ? [notes] : [],
      ...(actions.some((action) => action !== 'none') ? { exit: EXIT.planDiffers } : {}),
    };
  },
});
