import { type EpochMs, MINUTE_MS } from '../../../core/unit-types.ts';
import type { Call, Reply } from '../../http/operation.ts';
import type { State } from '../../state/state.ts';
import { countPoll } from '../protocol/takes.ts';
import { waitingCount } from '../state/endpoint-queue.ts';
import { queuesOf } from '../state/records.ts';

/** How long a request is held open when there is nothing to answer. Milliseconds of the service's clock. */
export const HOLD_MS = MINUTE_MS;

interface HeldRequest {
  readonly endpointId: string;
  readonly workerId: string;
  /** True when it waits for jobs; false when it waits for jobs to stop. */
  readonly isTake: boolean;
  /** Answers it, inside a step; undefined when there is still nothing to answer. */
  readonly attempt: (state: State, now: EpochMs) => Reply | undefined;
}

/** Its changes of the state are not saved yet. */
export interface HeldChanges {
  undo(): void;
  settle(): void;
}

export interface HeldRequests {
  /** Call it at the end of every step, also of one that fails. */
  answer(state: State, now: EpochMs): HeldChanges;
  /** Call it in a step, the returned function after its save: undefined when time is over or on abort. */
  hold(state: State, call: Call, request: HeldRequest): () => Promise<Reply | undefined>;
}

interface Entry extends HeldRequest {
  isAnswered: boolean;
  /** Set when that step is saved. */
  reply: Reply | undefined;
  isOver: boolean;
  wake: () => void;
}

/** The service's clock, in milliseconds. */
export interface HoldTime {
  readonly at: () => number;
  /** Rejects when the service stops. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface Group {
  readonly takes: Set<Entry>;
  readonly stops: Set<Entry>;
  /** See `EndpointQueue.signals`. */
  seen: { readonly generation: string; readonly signals: number | undefined } | undefined;
}

export function createHeldRequests(time: HoldTime): HeldRequests {
  const groups = new Map<string, Group>();
  /** When each open request is over; the earliest is first, because all are held for the same time. */
  const ends = new Map<Entry, number>();
  let registered: Entry[] = [];
  /** Over, but the step that should record it failed: the next step does. */
  const unrecorded = new Set<Entry>();
  let isTiming = false;

  /** One sleep for all: with many workers, thousands are held each second. */
  const endOverdue = async (): Promise<void> => {
    if (isTiming) return;
    isTiming = true;
    try {
      for (let [first] = ends; first !== undefined; [first] = ends) {
        const [entry, end] = first;
        const left = end - time.at();
        if (left > 0) await time.sleep(left);
        else if (ends.delete(entry)) giveUp(entry);
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
    const { signals } = queuesOf(state).byEndpoint[endpointId] ?? {};
    const group: Group = { takes: new Set(), stops: new Set(), seen: { generation: state.generation, signals } };
    groups.set(endpointId, group);
    return group;
  };

  const setOf = (group: Group, { isTake }: Entry): Set<Entry> => (isTake ? group.takes : group.stops);

  const answer = (entry: Entry, reply: Reply, state: State): HeldChanges => {
    entry.isAnswered = true;
    setOf(groupOf(state, entry.endpointId), entry).delete(entry);
    countPoll(state, entry.endpointId, entry.workerId, -1);
    return {
      undo: () => {
        const group = groupOf(state, entry.endpointId);
        entry.isAnswered = false;
        setOf(group, entry).add(entry);
        // The cause of the change is unknown, so check all requests again.
        group.seen = undefined;
      },
      settle: () => {
        entry.reply = reply;
        entry.wake();
      },
    };
  };

  const answerGroup = (endpointId: string, group: Group, state: State, now: EpochMs): readonly HeldChanges[] => {
    const answered: HeldChanges[] = [];
    const tryToAnswer = (entry: Entry): void => {
      const reply = entry.attempt(state, now);
      if (reply !== undefined) answered.push(answer(entry, reply, state));
    };
    const queue = queuesOf(state).byEndpoint[endpointId];
    if (group.seen?.generation !== state.generation || group.seen.signals !== queue?.signals) {
      group.seen = { generation: state.generation, signals: queue?.signals };
      for (const entry of [...group.stops, ...group.takes]) tryToAnswer(entry);
    } else
      for (const entry of group.takes) {
        if (queue === undefined || waitingCount(queue) === 0) break;
        tryToAnswer(entry);
      }
    if (group.takes.size + group.stops.size === 0) groups.delete(endpointId);
    return answered;
  };

  const recordOver = (state: State): readonly Entry[] => {
    const recorded = [...unrecorded];
    unrecorded.clear();
    for (const { endpointId, workerId } of recorded) countPoll(state, endpointId, workerId, -1);
    return recorded;
  };

  const forget = (entry: Entry): void => {
    const group = groups.get(entry.endpointId);
    if (group !== undefined) setOf(group, entry).delete(entry);
  };

  const lastReply = async (call: Call, entry: Entry): Promise<Reply | undefined> => {
    try {
      const isAnswered = await call.transact((state) => {
        if (entry.isAnswered) return true;
        forget(entry);
        countPoll(state, entry.endpointId, entry.workerId, -1);
        return false;
      });
      return isAnswered ? await replyTo(entry) : undefined;
    } catch (error) {
      if (entry.isAnswered) return replyTo(entry);
      forget(entry);
      unrecorded.add(entry);
      throw error;
    }
  };

  return {
    answer: (state, now) => {
      const held = registered;
      registered = [];
      const over = recordOver(state);
      const answered = [...groups].flatMap(([endpointId, group]) => answerGroup(endpointId, group, state, now));
      return {
        undo: () => {
          for (const each of answered) each.undo();
          for (const entry of held) forget(entry);
          for (const entry of over) unrecorded.add(entry);
        },
        settle: () => {
          for (const each of answered) each.settle();
        },
      };
    },
    hold: (state, call, request) => {
      const entry: Entry = { ...request, isAnswered: false, reply: undefined, isOver: false, wake: () => undefined };
      setOf(groupOf(state, request.endpointId), entry).add(entry);
      registered.push(entry);
      countPoll(state, request.endpointId, request.workerId, 1);
      return async () => {
        ends.set(entry, time.at() + HOLD_MS);
        void endOverdue();
        const inTime = await replyInTime(call, entry);
        ends.delete(entry);
        return inTime ?? lastReply(call, entry);
      };
    },
  };
}

function giveUp(entry: Entry): void {
  entry.isOver = true;
  entry.wake();
}

async function replyInTime({ signal }: Call, entry: Entry): Promise<Reply | undefined> {
  const onAbort = (): void => {
    giveUp(entry);
  };
  if (signal.aborted) return entry.reply;
  signal.addEventListener('abort', onAbort);
  if (entry.reply === undefined && !entry.isOver) await nextWake(entry);
  signal.removeEventListener('abort', onAbort);
  return entry.reply;
}

async function replyTo(entry: Entry): Promise<Reply> {
  for (;;) {
    if (entry.reply !== undefined) return entry.reply;
    await nextWake(entry);
  }
}

const nextWake = (entry: Entry): Promise<void> =>
  new Promise((resolve) => {
    entry.wake = resolve;
  });
