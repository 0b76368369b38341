import { mustExist } from '../../../batch/store/open-batch.ts';
import { inputPlaces } from '../../../batch/store/file-names.ts';
import { lockPath } from '../../../batch/store/journal/journal.ts';
import type { Accounting } from '../../../batch/store/items/item-states.ts';
import { LOCAL_SERVICE, type InputIdentity } from '../../../batch/store/journal/record.ts';
import { replay, type Past } from '../../../batch/store/journal/replay.ts';
import type { DurableFiles, LockHolder } from '../../../core/context.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result } from '../../../output/view.ts';
import type { StatusValues } from './flags.ts';
import { batchView, resumeLine, summaryOf } from './view.ts';

/** How a batch stands, from its journal. Fails with local-file (14). */
export async function explain(ctx: CommandContext, values: StatusValues): Promise<Result> {
  const durable = await ctx.durable();
  const { path } = await durable.resolve(values.results);
  await mustExist(durable, path);
  const holder = await durable.holder(lockPath(path));
  const past = await replay(durable, path);
  const sum = holder === undefined ? asLeft(past) : past.ledger.accounting();
  const unknownItems = [
    ...past.ledger.items('unknown'),
    ...(holder === undefined ? past.ledger.items('sending') : []),
  ].sort((a, b) => a - b);
  const { header } = past;
  const unordered = isUnordered(past, sum);
  const value = summaryOf(sum, {
    path,
    endpoint: header.endpoint,
    input: await inputPlace(durable, path, header.input),
    invalid: header.invalid,
    unknownItems,
    others: { ...stateOf(unordered, sum, holder), begun: new Date(header.createdAt).toISOString() },
  });
  const left = sum.waiting + sum.inFlight > 0 || unordered;
  const incomplete = sum.completed !== sum.planned;
  return {
    kind: 'one',
    view: batchView,
    value,
    exit: values.exitStatus && incomplete ? EXIT.batchIncomplete : EXIT.done,
    notes: holder === undefined && left ? [`Go on with: ${resumeLine(header.service === LOCAL_SERVICE, path)}`] : [],
  };
}

/** Where the input lies; where it is gone, where it should lie. */
async function inputPlace(durable: DurableFiles, results: string, identity: InputIdentity): Promise<string> {
  const places = inputPlaces(results, identity);
  for (const path of places) if ((await durable.size(path)) !== undefined) return path;
  return places[0] ?? identity.path;
}

/** Nobody is at work on it: what was being sent when its process ended is unknown. */
function asLeft({ ledger }: Past): Accounting {
  const sum = ledger.accounting();
  const sending = ledger.count('sending');
  return { ...sum, unknown: sum.unknown + sending, inFlight: sum.inFlight - sending };
}

/** `pid` and `host`: the process that is at work on it. `unordered`: all have ended, and their results are not in order. */
function stateOf(unordered: boolean, { waiting, inFlight }: Accounting, holder: LockHolder | undefined): JsonObject {
  const order = unordered ? { unordered } : {};
  if (holder !== undefined) return { state: 'running', pid: holder.pid, host: holder.host, ...order };
  return { state: waiting + inFlight === 0 && !unordered ? 'ended' : 'stopped', ...order };
}

/** Every item has ended, and the results are still to be put in order. */
const isUnordered = ({ header, ranAgain, inOrder }: Past, { waiting, inFlight }: Accounting): boolean =>
  waiting + inFlight === 0 && !inOrder && (header.ordered || ranAgain);
