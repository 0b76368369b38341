import { EXIT } from '../../core/exit-codes.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import { berth, sentence, type Message } from '../../core/message.ts';
import { stringOf, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { NUMBER, manyOf, oneOf, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import { countOf } from '../../cli/words/words.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { list, money, text, toned } from '../../output/cells/cell-functions.ts';
import { idOf, type View } from '../../output/view.ts';
import { decodeWishes, encodeWishes, WISH_STATES, withChange, type Wish } from '../../create/wishes.ts';
import { changeCreates, readCreates } from '../shared/capacity/memory.ts';
import { readPodOfKey, whereItIs } from '../shared/capacity/pod-of-key.ts';

const WISHES = manyOf(
  ownObject(
    { key: TEXT, state: oneOf(...WISH_STATES), gpus: manyOf(TEXT), dataCenters: manyOf(TEXT), until: TIME },
    {
      name: TEXT,
      maxPrice: NUMBER,
      triedAt: TIME,
      pod: TEXT,
      why: { ...TEXT, description: 'why there is no pod yet' },
    },
  ),
);

const rowOf = ({ key, state, body, wanted, until, triedAt, pod, why }: Wish): Json => {
  const name = stringOf(body['name']);
  return {
    key,
    ...(name === undefined ? {} : { name }),
    state,
    gpus: wanted.gpus,
    dataCenters: wanted.dataCenters,
    ...(wanted.maxPrice === undefined ? {} : { maxPrice: wanted.maxPrice }),
    until: formatTimestamp(until),
    ...(triedAt === undefined ? {} : { triedAt: formatTimestamp(triedAt) }),
    ...(pod === undefined ? {} : { pod }),
    ...(why === undefined ? {} : { why }),
  };
};

const wishView: View = {
  noun: ['wish', 'wishes'],
  id: text('key'),
  members: ['key', 'name', 'state', 'gpus', 'dataCenters', 'maxPrice', 'until', 'triedAt', 'pod', 'why'],
  columns: [
    textColumn('key', { cutLast: true }),
    textColumn('name'),
    {
      header: 'STATE',
      show: toned('state', { waiting: 'busy', made: 'good', refused: 'bad', over: 'warn' }),
      cutLast: true,
    },
    { header: 'GPU', show: list('gpus') },
    { header: 'MOST/HR', show: money('maxPrice'), right: true },
    textColumn('until'),
    textColumn('pod'),
    textColumn('why'),
  ],
};

/** `berth guard wishes`: pods that guards of this machine create as soon as there is room. */
export const wishes = defineGroup('pods that guard run creates as soon as there is room', {
  list: defineCommand({
    summary: 'list the wishes of this machine, with what was found at the last try',
    details: 'pods create --until-available 6h --detach makes one. Those that have ended are listed too, the last 50.',
    output: WISHES,
    examples: [['berth guard wishes list', 'what is waited for, and why there is none yet']],
    run: async (ctx) => ({ kind: 'many', view: wishView, values: decodeWishes(await readCreates(ctx)).map(rowOf) }),
  }),
  cancel: defineCommand({
    summary: 'cancel a wish: no guard tries it any more',
    details: 'A pod that was created already stays, and is named.',
    changesMachine: true,
    output: WISHES,
    examples: [['berth guard wishes cancel later', 'by its key, or by the name of the pod that it is for']],
    args: { key: arg.text('the key or the name of a wish') },
    run: async (ctx, { key: word }) => {
      let changed: readonly Wish[] = [];
      await changeCreates(ctx, (before) => {
        const wishes = decodeWishes(before);
        const { key } = waitingWish(wishes, word);
        const after = withChange(wishes, key, { state: 'cancelled' });
        changed = after.filter((wish) => wish.key === key);
        return { wishes: encodeWishes(after) };
      });
      return { kind: 'many', view: wishView, values: changed.map(rowOf), notes: await podThatWasMade(ctx, changed) };
    },
  }),
});

/** A guard that ended early may have made the pod, and not written it down. No line where the pods cannot be read. */
async function podThatWasMade(ctx: CommandContext, wishes: readonly Wish[]): Promise<readonly Message[]> {
  const tried = wishes.find(({ triedAt }) => triedAt !== undefined);
  const pod = tried && (await unlessFailed(ctx, () => readPodOfKey(ctx, tried.key)));
  return pod === undefined ? [] : [`A guard had created its pod already. ${whereItIs(pod)}`, toEndIt(idOf(pod))];
}

const toEndIt = (pod: string): Message => sentence`To end its cost: ${berth`pods terminate ${pod}`}`;

const nameOf = ({ body }: Wish): string | undefined => stringOf(body['name']);

/**
 * The wish that waits, by its key or the name of its pod. Fails with usage (2) and the keys where several have the name, and with
 * not-found (4) where none waits.
 */
function waitingWish(wishes: readonly Wish[], word: string): Wish {
  const waiting = wishes.filter(({ state }) => state === 'waiting');
  const byName = waiting.filter((wish) => nameOf(wish) === word);
  const found = waiting.find(({ key }) => key === word) ?? byName[0];
  if (found === undefined)
    throw noWish(
      word,
      wishes.findLast((wish) => wish.key === word || nameOf(wish) === word),
    );
  if (found.key !== word && byName.length > 1)
    throw usage(
      `${countOf(byName.length, 'wish', 'wishes')} that wait are for a pod named ${JSON.stringify(safeText(word))}`,
      `Use a key: ${byName.map(({ key }) => safeText(key)).join(', ')}`,
    );
  return found;
}

/** `ended` is the last wish of the word: a pod that was made for it may go on costing. */
const noWish = (word: string, ended: Wish | undefined): Failure =>
  new Failure({
    code: 'not-found',
    exit: EXIT.notFound,
    message: `no wish with the key or the name ${safeText(word)} waits: nothing was cancelled${ended === undefined ? '' : ` (${endOf(ended)})`}`,
    hint: ended?.pod === undefined ? sentence`See ${berth`guard wishes list`}.` : toEndIt(ended.pod),
    id: word,
  });

const endOf = ({ state, pod }: Wish): string =>
  pod === undefined ? `it is ${state} already` : `the pod ${pod} was created for it`;
