import type { Failure } from '../../core/failure.ts';
import type { Desk } from './run-state.ts';
import type { Item } from '../input/item.ts';
import { eased, intentsAhead, roomOf, sent, unsent, waitOf } from './send-rate.ts';
import type { Supply } from '../input/item-queue.ts';
import { idTwice, type Submitted } from './queue-client.ts';

/** Sends items: an intent on the disk, then the request, then what became of it. */
export interface Sender {
  /**
   * Sends what may go at this moment, in milliseconds of the monotonic clock. Gives the milliseconds until more may, undefined
   * where something else must happen first.
   */
  readonly go: (now: number) => number | undefined;
}

/** A job that the service took, at a moment in milliseconds of the monotonic clock; its id is on the disk. */
export type OnAccepted = (item: Item, job: string, at: number) => void;

/** Items are taken when so many fit: one by one, each would be a trip to the disk of its own. */
const handful = (most: number): number => Math.max(1, Math.floor(most / 8));

/** So often an item is sent again that the service itself put off (408, 425); then it is refused. */
const MOST_PUT_OFF = 3;

/**
 * A sender over a supply. `guard` watches over what is started: a failure in it ends the batch.
 */
export function createSender(
  desk: Desk,
  supply: Supply,
  guard: (work: Promise<void>) => void,
  onAccepted: OnAccepted,
): Sender {
  const { paces, clock, ledger, options } = desk;
  /** Their intent is on its way to the disk; it is there, and they may go; they went, and what became of them is on its way. */
  let intending = 0;
  let ready: Item[] = [];
  let posting = 0;
  let settling = 0;

  const intend = async (items: readonly Item[]): Promise<void> => {
    intending += items.length;
    try {
      // They go to the disk together, and the last has all others before it.
      let written: Promise<void> | undefined;
      for (const { number, id } of items)
        written = desk.record(number, { kind: 'send' }, id === undefined ? {} : { id });
      await written;
      ready.push(...items);
    } catch (error) {
      // Whatever the disk has of it, nothing went out for them.
      for (const { number } of items) ledger.apply(number, { kind: 'withdraw' });
      throw error;
    } finally {
      intending -= items.length;
      desk.wake();
    }
  };

  /** What is certain not to have been sent waits again. */
  const withdraw = async (item: Item): Promise<void> => {
    paces.submit = unsent(paces.submit);
    const written = desk.record(item.number, { kind: 'withdraw' });
    supply.giveBack(item);
    desk.wake();
    await written;
  };
  const withdrawReady = (): void => {
    const items = ready;
    ready = [];
    for (const item of items) guard(withdraw(item));
  };

  const post = async (item: Item): Promise<void> => {
    const sentAt = clock.monotonic();
    let outcome: Submitted;
    posting += 1;
    try {
      outcome = onlyOnce(await desk.wire.submit(item.body));
    } finally {
      posting -= 1;
      desk.wake();
    }
    settling += 1;
    try {
      if (outcome.kind !== 'accepted') await heed(item, outcome, sentAt);
      else {
        const at = clock.monotonic();
        await accept(item, outcome.job);
        // Not before: a result on the disk whose job the journal does not know would be nobody's.
        onAccepted(item, outcome.job, at);
      }
    } catch (error) {
      if (outcome.kind === 'accepted') desk.unwritten.push({ item: item.number, job: outcome.job });
      throw error;
    } finally {
      settling -= 1;
      desk.wake();
    }
  };

  /** An id that another item has is no id of this one. */
  const onlyOnce = (outcome: Submitted): Submitted =>
    outcome.kind === 'accepted' && !desk.jobIds.add(outcome.job)
      ? { kind: 'lost', failure: idTwice(outcome.job) }
      : outcome;

  const accept = ({ number }: Item, job: string): Promise<void> => {
    desk.worked();
    paces.submit = eased(paces.submit);
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    return desk.record(number, { kind: 'accept', job }, { at: clock.now() });
  };

  const refuse = async ({ number, id }: Item, { message }: Failure): Promise<void> => {
    desk.worked();
    await desk.conclude({ item: number, id }, { status: 'REFUSED', error: message }, { kind: 'refuse' });
  };

  const putOffs = new Map<number, number>();
  const timesPutOff = ({ number }: Item): number => {
    const times = (putOffs.get(number) ?? 0) + 1;
    putOffs.set(number, times);
    return times;
  };

  /** What a submission came to that was not accepted. */
  const heed = async (item: Item, outcome: Exclude<Submitted, { kind: 'accepted' }>, sentAt: number): Promise<void> => {
    switch (outcome.kind) {
      case 'again':
        if (outcome.own === true && timesPutOff(item) > MOST_PUT_OFF) {
          await refuse(item, outcome.failure);
          return;
        }
        desk.putOff('submit', outcome, sentAt);
        await withdraw(item);
        return;
      case 'lost': {
        const written = desk.record(item.number, { kind: 'lose' });
        desk.slow('submit', sentAt);
        desk.lost(outcome.failure);
        await written;
        return;
      }
      case 'refused':
        await refuse(item, outcome.failure);
        return;
      case 'stop':
        desk.stop('trouble', 'at-once', outcome.failure);
        await withdraw(item);
    }
  };

  const postReady = (): void => {
    while (ready.length > 0 && posting < Math.floor(paces.submit.atOnce) && desk.wireIsFree()) {
      const item = ready.shift();
      if (item !== undefined) guard(post(item));
    }
  };

  /** Has the items whose turn it is taken down. Gives the wait until the next one's, as `go` does. */
  const take = (now: number): number | undefined => {
    const most = Math.floor(intentsAhead(paces.submit));
    const active = intending + ready.length + settling;
    if (active > most - handful(most)) return undefined;
    const left = options.inFlight - ledger.count('sending') - ledger.count('submitted');
    const room = Math.min(left, roomOf(paces.submit, active, now, most));
    const items = taken(room);
    if (items.length > 0) {
      paces.submit = sent(paces.submit, now, items.length);
      guard(intend(items));
    }
    // Where no item is at hand the supply rings, and where the service has enough, a job that ends.
    if (items.length < room || items.length >= left) return undefined;
    return waitOf(paces.submit, active + items.length, now, most);
  };
  const taken = (most: number): readonly Item[] => {
    const items: Item[] = [];
    while (items.length < most) {
      const item = supply.take();
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  };

  return {
    go: (now) => {
      // What the service asks to wait counts for those too whose intent was on its way to the disk then.
      if (!desk.sending() || paces.submit.closedUntil > now) withdrawReady();
      if (!desk.sending()) return undefined;
      postReady();
      return take(now);
    },
  };
}
