import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { TestClock } from './test-clock.ts';

/** A test clock for a client and a service that talk over real connections in this process. */
export interface AutoAdvancingClock extends TestClock {
  /** Keeps the clock from moving on its own until `work` has settled. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** The runtime of the single executable reports no pending file operations, so that more time must pass there. */
const REPORTS_FILES = process.versions['bun'] === undefined;
const IDLE_MS = REPORTS_FILES ? 0 : 5;

/**
 * Calls `work` after a turn of the event loop, or a millisecond where `rests`: waiting for real time must not keep a processor
 * busy. `work` gets the number of timers that it holds itself. In the other runtime, files and sockets make no progress
 * between two immediates.
 */
const afterTurn = (rests: boolean, work: (ownTimers: number) => void): void => {
  if (!REPORTS_FILES) setTimeout(work, 1, 0);
  else if (rests) setTimeout(work, 1, 1);
  else setImmediate(work, 0);
};

/** Turns of the event loop without any activity after which the clock moves to the next sleeper. */
const IDLE_TURNS = 3;
/** The same while a request has no answer yet: its server may be what sleeps, or may never answer. */
const IDLE_TURNS_WITH_REQUEST = 20;
/** Milliseconds of real time that must pass besides, for the case that the system is slow to deliver the bytes. */
const IDLE_MS_WITH_REQUEST = 3;
/** A sleep that is longer is usually a time limit. Milliseconds. */
const LONG_STEP_MS = 20_000;
/** Turns, and milliseconds of real time, without activity before a time limit: a wrong one ends the whole command. */
const IDLE_TURNS_BEFORE_LIMIT = 90;
const IDLE_MS_BEFORE_LIMIT = REPORTS_FILES ? 120 : 1000;
/** The same while a request has no answer yet: on a busy machine, the thread that works on it may be late. */
const IDLE_MS_BEFORE_LIMIT_WITH_REQUEST = REPORTS_FILES ? 400 : 1000;
/** Milliseconds of real time for which a timer of real time counts as activity. */
const TIMER_MS = 12;

/**
 * Returns a clock that stands still while this process works and moves to the earliest sleeper or deadline when the process
 * is idle: no module is being imported, no file operation is pending, no request of undici is in flight (or its answer does
 * not come), and the event loop has turned several times. How long anything takes on this clock does not depend on the speed of the machine.
 * To be made inside a test. Without a network and with files in memory (`inProcess`) no work can be late, and no real time passes.
 */
export function createAutoAdvancingClock({ inProcess = false } = {}): AutoAdvancingClock {
  const activity = trackRequests();
  const timersBefore = timersIn(process.getActiveResourcesInfo());
  const slept: number[] = [];
  const sleepers = new Set<{ readonly at: number; readonly isLimit: boolean; readonly wake: () => void }>();
  let monotonic = 0;
  let wallOffset = Date.UTC(2026, 0, 1);
  let held = 0;
  let watching = false;

  const earliest = (): number => Math.min(...[...sleepers].map(({ at }) => at));

  /** Short steps must not add up to a time limit while work is late, so that the one that reaches it waits for it. */
  const reachesLimit = (): boolean => {
    const at = earliest();
    return at - monotonic >= LONG_STEP_MS || [...sleepers].some((sleeper) => sleeper.isLimit && sleeper.at <= at);
  };

  const wakeEarliest = (): void => {
    monotonic = Math.max(monotonic, earliest());
    for (const sleeper of [...sleepers].filter(({ at }) => at <= monotonic)) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };

  const watch = (): void => {
    if (watching) return;
    watching = true;
    let idleTurns = 0;
    let idleSince = performance.now();
    let seen = activity.count();
    const turn = (ownTimers: number): void => {
      if (sleepers.size === 0) {
        watching = false;
        return;
      }
      const now = performance.now();
      const hasMoved = held > 0 || activity.count() !== seen;
      const resources = hasMoved ? [] : process.getActiveResourcesInfo();
      const active = hasMoved || hasPendingFileOperation(resources);
      // Not longer: a spinner has a timer of real time as long as it is shown.
      const waitsForTimer = !active && now - idleSince < TIMER_MS && timersIn(resources) - ownTimers > timersBefore;
      seen = activity.count();
      idleTurns = active || waitsForTimer ? 0 : idleTurns + 1;
      if (active) idleSince = now;
      if (isIdle(idleTurns, now - idleSince) && !hasPendingImport()) {
        idleTurns = 0;
        idleSince = performance.now();
        wakeEarliest();
      }
      afterTurn(idleTurns >= IDLE_TURNS_WITH_REQUEST, turn);
    };
    afterTurn(false, turn);
  };

  const isIdle = (turns: number, idleMs: number): boolean =>
    turns >= IDLE_TURNS && idleMs >= IDLE_MS && (inProcess || isNothingLate(turns, idleMs));

  const isNothingLate = (turns: number, idleMs: number): boolean =>
    (activity.inFlight() === 0 || (turns >= IDLE_TURNS_WITH_REQUEST && idleMs >= IDLE_MS_WITH_REQUEST)) &&
    (!reachesLimit() ||
      (turns >= IDLE_TURNS_BEFORE_LIMIT &&
        idleMs >= (activity.inFlight() === 0 ? IDLE_MS_BEFORE_LIMIT : IDLE_MS_BEFORE_LIMIT_WITH_REQUEST)));

  /** Calls `wake` when the time has come. Returns what cancels that. */
  const wakeAt = (at: number, wake: () => void, isLimit = false): (() => void) => {
    const sleeper = { at, isLimit, wake };
    sleepers.add(sleeper);
    watch();
    return () => sleepers.delete(sleeper);
  };

  return {
    slept,
    now: () => Math.floor(wallOffset + monotonic),
    monotonic: () => monotonic,
    advance: (milliseconds) => {
      monotonic += milliseconds;
    },
    jumpWall: (milliseconds) => {
      wallOffset += milliseconds;
    },
    during: async (work) => {
      held += 1;
      try {
        return await work;
      } finally {
        held -= 1;
      }
    },
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error);
          return;
        }
        slept.push(milliseconds);
        const onAbort = (): void => {
          cancel();
          reject(signal?.reason as Error);
        };
        const cancel = wakeAt(monotonic + Math.max(0, milliseconds), () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    deadline: (milliseconds, onOver) => wakeAt(monotonic + milliseconds, onOver, true),
  };
}

/** Timers of real time, such as the one that spaces the syncs of a file: their work is not done before they fire. */
const timersIn = (resources: readonly string[]): number =>
  resources.filter((resource) => resource === 'Timeout').length;

/** Whether a read, a write or another asynchronous operation on a file has not ended. */
const hasPendingFileOperation = (resources: readonly string[]): boolean =>
  REPORTS_FILES
    ? resources.some((resource) => /^(FSReq|CloseReq|GetAddrInfoReq)/.test(resource))
    : poolThreads().some((state) => /[RD]/.test(state));

/**
 * The states of the threads on which the other runtime works on files: `R` runs, `D` waits for a disk, `S` has no work. Empty
 * where the system does not tell.
 */
function poolThreads(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(THREADS).flatMap((thread) => {
    try {
      return /\(Bun Pool \d+\) (\w)/.exec(readFileSync(`${THREADS}/${thread}/stat`, 'latin1'))?.[1] ?? [];
    } catch {
      // It ended in between.
      return [];
    }
  });
}

const THREADS = '/proc/self/task';

interface ImportState {
  readonly resolvingModules: ReadonlySet<string>;
  readonly evaluatedModules: {
    readonly idToModuleMap: ReadonlyMap<string, { readonly promise?: unknown; readonly evaluated: boolean }>;
  };
}

/**
 * Whether a module is being imported. This is what `vi.dynamicImportSettled` waits for; waiting with it at each step of the
 * clock would take most of the time of a test.
 */
function hasPendingImport(): boolean {
  const state = (globalThis as { readonly __vitest_worker__?: ImportState }).__vitest_worker__;
  if (state === undefined) throw new Error('this version of vitest does not expose its pending imports');
  if (state.resolvingModules.size > 0) return true;
  for (const { promise, evaluated } of state.evaluatedModules.idToModuleMap.values())
    if (promise !== undefined && !evaluated) return true;
  return false;
}

interface RequestActivity {
  /** Requests that were sent and whose answer is not complete. */
  inFlight(): number;
  /** Grows with each step of a request. */
  count(): number;
}

/** Follows the requests that undici sends in this process, until the test ends. */
function trackRequests(): RequestActivity {
  const open = new Set<unknown>();
  let count = 0;
  const follow = (channel: string, onMessage: (request: unknown) => void): void => {
    const listener = (message: unknown): void => {
      count += 1;
      onMessage((message as { readonly request: unknown }).request);
    };
    subscribe(channel, listener);
    onTestFinished(() => {
      unsubscribe(channel, listener);
    });
  };
  follow('undici:request:create', (request) => open.add(request));
  follow('undici:request:headers', () => undefined);
  for (const channel of ['undici:request:trailers', 'undici:request:error'])
    follow(channel, (request) => open.delete(request));
  follow('http.server.request.start', () => undefined);
  follow('http.server.response.finish', () => undefined);
  return { inFlight: () => open.size, count: () => count };
}
