import { type Json, type JsonObject, memberAt, memberOf } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import { HIDDEN, hideSecrets, type IsSecret } from '../../core/secret-names.ts';
import { countOf } from '../../cli/words.ts';
import { SET_MARK, variableOf } from '../../create/key.ts';
import { idOf } from '../../output/view.ts';
import { withoutVariables } from '../../fleet/variables.ts';
import { rateText } from '../../cli/money/hourly-cost.ts';
import { knownOf, type Cost } from './cost.ts';
import { pruningRefusal } from './prune.ts';
import type { Plan, Planned } from './planned.ts';

/** Never printed: texts from variables, and container variables with secret names. */
export interface Hiding {
  readonly texts: ReadonlySet<string>;
  readonly isSecret: IsSecret | undefined;
}

/** Hidden in every format: a plan is kept in the logs of CI. */
function shownValue(path: string, value: Json, { texts, isSecret }: Hiding): Json {
  if (path === 'password') return HIDDEN;
  const shown = withoutVariables(value, texts);
  const variable = path.startsWith('env.') ? path.slice('env.'.length) : undefined;
  if (isSecret === undefined) return shown;
  const hidden = hideSecrets(variable === undefined ? { [path]: shown } : { env: { [variable]: shown } }, isSecret);
  return (variable === undefined ? memberOf(hidden, path) : memberOf(memberOf(hidden, 'env'), variable)) ?? null;
}

export function planRowOf({ document, row, item, cost }: Planned, hiding: Hiding): JsonObject {
  const { kind, name, at } = document;
  const destroyed = destroyedBy({ document, row, item });
  return {
    action: item.action,
    kind: kind.name,
    name,
    ...(row === undefined ? {} : { id: idOf(row) }),
    changes: item.changes.map(({ path, before, after, effect }) => {
      const shown = shownValue(path, after, hiding);
      // What a variable replaces was most likely a secret too.
      const isHidden = before !== null && shown === HIDDEN;
      return { path, before: isHidden ? HIDDEN : shownValue(path, before, hiding), after: shown, effect };
    }),
    notCompared: item.notCompared,
    ...(item.why === undefined ? {} : { why: item.why }),
    ...(destroyed.length === 0 ? {} : { destroys: destroyed }),
    costBefore: cost.before.perHour ?? null,
    costAfter: cost.after.perHour ?? null,
    ...(cost.after.unpriced === undefined ? {} : { unpriced: cost.after.unpriced }),
    ...(at([]) === '' ? {} : { from: at([]) }),
  };
}

const destroyedBy = ({ document, row, item }: Pick<Planned, 'document' | 'row' | 'item'>): readonly string[] =>
  document.kind.name !== 'pod' || item.action !== 'delete'
    ? []
    : ['container disk', ...(memberAt(row, 'mounts.persistent') === undefined ? [] : ['persistent mount'])];

/** Repeated, because a narrow terminal truncates the table. */
const destroyedNote = (planned: readonly Planned[]): readonly string[] =>
  planned.flatMap((each) => {
    const destroyed = destroyedBy(each);
    return destroyed.length === 0
      ? []
      : [safeText(`Destroyed for good with pod ${each.document.name}: its ${destroyed.join(' and ')}.`)];
  });

/** `1 to create, 2 to update; $1.20 an hour to $2.40 an hour.` */
export function planNotes({ planned, pruning }: Plan): readonly Message[] {
  if (planned.length === 0) return ['The files hold no document.'];
  const counts = (['create', 'update', 'delete', 'blocked', 'none'] as const).flatMap((action) => {
    const count = planned.filter(({ item }) => item.action === action).length;
    return count === 0 ? [] : [`${count} ${WORDS[action]}`];
  });
  const refusal = pruning === undefined ? undefined : pruningRefusal(pruning, undefined);
  return [
    `${counts.join(', ')}. ${costSentence(planned.map(({ cost }) => cost))}`,
    ...unpricedNote(planned.map(({ cost }) => cost)),
    ...keptNotes(planned.map(({ cost }) => cost)),
    ...destroyedNote(planned),
    ...unmarked(planned),
    ...credentialsNote(planned),
    ...(refusal === undefined ? [] : [`apply refuses this without --max-prune: ${refusal.message}.`]),
  ];
}

export function costSentence(costs: readonly Cost[]): string {
  const sum = (when: keyof Cost): string => {
    const amounts = costs.map((cost) => cost[when]);
    const unknown = amounts.filter(({ perHour }) => perHour === undefined).length;
    return rateText({
      total: amounts.reduce((total, amount) => total + knownOf(amount), 0),
      unknown: [
        ...(unknown === 0 ? [] : [`the cost of ${countOf(unknown, 'thing')} is not known`]),
        ...amounts.flatMap(({ unpriced }) => unpriced ?? []),
      ],
    });
  };
  return `They cost ${sum('before')} before, and ${sum('after')} after.`;
}

export function unpricedNote(costs: readonly Cost[]): readonly string[] {
  const unpriced = costs.flatMap(({ after }) => after.unpriced ?? []);
  return unpriced.length === 0 ? [] : [safeText(`Paid too, at a price that is not published: ${unpriced.join('; ')}.`)];
}

export const keptNotes = (costs: readonly Cost[]): readonly string[] =>
  costs.flatMap(({ after }) => (after.kept === undefined ? [] : [safeText(after.kept)]));

/** Credentials of existing registries have no effect; says how to replace them. */
export function credentialsNote(planned: readonly Planned[]): readonly Message[] {
  const given = planned.filter(
    ({ document, row, item }) => document.kind.name === 'registry' && row !== undefined && item.notCompared.length > 0,
  );
  const [first] = given;
  if (first === undefined) return [];
  const members = [...new Set(given.flatMap(({ item }) => item.notCompared))].join(' and ');
  return [
    `Not compared and not sent: ${members} of registry ${given.map(({ document }) => document.name).join(', ')}. The service never shows them and cannot change them.`,
    sentence`For another one, give the registry another name in the files, also where it is used (pods restart then). Once that is applied: ${berth`registries delete ${idOf(first.row ?? null)}`}`,
  ];
}

/** Only a create sets the mark, because a pod would restart. */
function unmarked(planned: readonly Planned[]): readonly string[] {
  const found = planned.filter(
    ({ document: { set }, row }) => set !== undefined && row !== undefined && variableOf(row, SET_MARK) !== set,
  );
  const names = found.map(({ document: { kind, name } }) => `${kind.name} ${name}`).join(', ');
  return found.length === 0
    ? []
    : [`Without the mark of the set, because another one made them: ${names}. A prune will not remove them.`];
}

const WORDS = {
  create: 'to create',
  update: 'to change',
  delete: 'to remove',
  blocked: 'that cannot be made so',
  none: 'as described',
} as const;
