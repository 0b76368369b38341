import type { Call, Reply } from '../../frame/operation.ts';
import type { State } from '../../state/state.ts';
import { countPoll } from '../engine/protocol/takes.ts';
import { waitingCount } from '../state/endpoint-queue.ts';
import { queuesOf } from '../state/records.ts';

/** How long a request is held open when there is nothing to answer. Milliseconds of the service's clock. */
export const HOLD_MS = 60_000;

/** A request of a worker that waits for an answer. */
interface HeldRequest {
  readonly endpointId: string;
  readonly workerId: string;
  /** True when it waits for jobs; false when it waits for jobs to stop. */
  readonly isTake: boolean;
  /** Answers it, inside a step; undefined when there is still nothing to answer. */
  readonly attempt: (state: State, now: number) => Reply | undefined;
}

/** A held request that was answered inside a step whose changes are not saved yet. */
export interface AnsweredRequest {
  /** Makes it wait again, because the step is run again. */
  undo(): void;
  /** Sends the answer, or the error of the save. */
  settle(error?: Error): void;
}

/** The held requests of all workers of one service. */
export interface HeldRequests {
  /** Answers the requests that can be answered now. Call it at the end of every step. */
  answer(state: State, now: number): readonly AnsweredRequest[];
  /**
   * Holds a request open: registers it inside a step, after its first try. The function that it returns waits for the
   * answer; it resolves with undefined when the time is over, the caller disconnects or the service stops before there
   * is an answer.
   */
  hold(state: State, call: Call, request: HeldRequest): () => Promise<Reply | undefined>;
}

interface Entry extends HeldRequest {
  isAnswered: boolean;
  readonly answer: Promise<Reply>;
  settle(reply: Reply, error?: Error): void;
  /** Resolves when the time is over, the caller has disconnected or the service stops. */
  readonly over: Promise<undefined>;
  readonly giveUp: () => void;
}

/** The service's clock: dates and spans in milliseconds. */
export interface HoldTime {
  readonly at: () => number;
  /** Rejects when the service stops. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The held requests of one endpoint. */
interface Group {
  readonly takes: Set<Entry>;
  readonly stops: Set<Entry>;
  /** The latest value that shows whether something other than new jobs has changed: see `EndpointQueue.signals`. */
  seen: string;
}

export function createHeldRequests(time: HoldTime): HeldRequests {
  const groups = new Map<string, Group>();
  /** When each open request is over; the earliest is first, because all are held for the same time. */
  const ends = new Map<Entry, number>();
  let isTiming = false;

  /** Ends the requests whose time is over. One sleep serves all: with many workers, thousands are held each second. */
  const endOverdue = async (): Promise<void> => {
    if (isTiming) return;
    isTiming = true;
    try {
      for (let [first] = ends; first !== undefined; [first] = ends) {
        const [entry, end] = first;
        const left = end - time.at();
        if (left > 0) await time.sleep(left);
        else if (ends.delete(entry)) entry.giveUp();
      }
    } catch {
      // The service stops, which ends every call.
    } finally {
      isTiming = false;
    }
  };

  const groupOf = (state: State, endpointId: string): Group => {
    const known = groups.get(endpointId);
    if (known !== undefined) return known;
    const group: Group = { takes: new Set(), stops: new Set(), seen: signalsOf(state, endpointId) };
    groups.set(endpointId, group);
    return group;
  };

  const setOf = (group: Group, { isTake }: Entry): Set<Entry> => (isTake ? group.takes : group.stops);

  const attempt = (group: Group, entry: Entry, state: State, now: number): AnsweredRequest | undefined => {
    const reply = entry.attempt(state, now);
    if (reply === undefined) return undefined;
    entry.isAnswered = true;
    setOf(group, entry).delete(entry);
    countPoll(state, entry.endpointId, entry.workerId, -1);
    return {
      undo: () => {
        const current = groupOf(state, entry.endpointId);
        entry.isAnswered = false;
        setOf(current, entry).add(entry);
        // The cause of the change is unknown, so check all requests again.
        current.seen = '';
      },
      settle: (error) => {
        entry.settle(reply, error);
      },
    };
  };

  return {
    answer: (state, now) => {
      const answered: AnsweredRequest[] = [];
      for (const [endpointId, group] of groups) {
        const signals = signalsOf(state, endpointId);
        const queue = queuesOf(state).byEndpoint[endpointId];
        if (signals !== group.seen) {
          group.seen = signals;
          for (const entry of [...group.stops, ...group.takes]) push(answered, attempt(group, entry, state, now));
        } else
          for (const entry of group.takes) {
            if (queue === undefined || waitingCount(queue) === 0) break;
            push(answered, attempt(group, entry, state, now));
          }
        if (group.takes.size + group.stops.size === 0) groups.delete(endpointId);
      }
      return answered;
    },
    hold: (state, call, request) => {
      const entry = newEntry(request);
      setOf(groupOf(state, request.endpointId), entry).add(entry);
      countPoll(state, request.endpointId, request.workerId, 1);
      return async () => {
        ends.set(entry, time.at() + HOLD_MS);
        void endOverdue();
        const inTime = await answerInTime(call, entry);
        ends.delete(entry);
        if (inTime !== undefined) return inTime;
        const isAnswered = await call.transact((current) => {
          if (entry.isAnswered) return true;
          const group = groups.get(entry.endpointId);
          if (group !== undefined) setOf(group, entry).delete(entry);
          countPoll(current, entry.endpointId, entry.workerId, -1);
          return false;
        });
        return isAnswered ? entry.answer : undefined;
      };
    },
  };
}

function push<T>(list: T[], item: T | undefined): void {
  if (item !== undefined) list.push(item);
}

const signalsOf = (state: State, endpointId: string): string =>
  `${state.generation} ${String(queuesOf(state).byEndpoint[endpointId]?.signals)}`;

function newEntry(request: HeldRequest): Entry {
  let settle: Entry['settle'] = () => undefined;
  const answer = new Promise<Reply>((resolve, reject) => {
    settle = (reply, error) => {
      if (error === undefined) resolve(reply);
      else reject(error);
    };
  });
  // The error is thrown where the answer is awaited, which may be later.
  answer.catch(() => undefined);
  let giveUp: Entry['giveUp'] = () => undefined;
  const over = new Promise<undefined>((resolve) => {
    giveUp = () => {
      resolve(undefined);
    };
  });
  return { ...request, isAnswered: false, answer, settle, over, giveUp };
}

/** The answer; undefined when the time is over or the call is aborted before there is one. */
async function answerInTime({ signal }: Call, { answer, over, giveUp }: Entry): Promise<Reply | undefined> {
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const inTime = await Promise.race([answer, over]);
  signal.removeEventListener('abort', giveUp);
  return inTime;
}
