import { decodeJson } from '../../core/json.ts';
import type { HandlerThread } from './thread/thread.ts';
import type { EndpointRecord } from '../model/endpoints/record.ts';
import type { State } from '../state/state.ts';
import { reportChunk, reportEnd, reportPrinted } from '../queue/engine/engine.ts';
import { workersIn } from '../queue/state/endpoint-queue.ts';
import { WebhookRefused } from '../webhooks/refused.ts';
import type { Delivery, Job } from '../queue/state/records.ts';
import { dueDeliveries, noteDelivery, sameTry, type DueDelivery } from '../webhooks/deliveries.ts';

export interface RunnerOptions {
  /** One atomic step on the state, brought up to `now`, as in `Call`. */
  readonly transact: <T>(step: (state: State, now: number) => T) => Promise<T>;
  /** Endpoint id or name to the absolute path or `file:` URL of a handler module. */
  readonly handlers: Readonly<Record<string, string>>;
  /** POSTs a JSON text and gives the answer's status; rejects where there was none, with WebhookRefused for good. */
  readonly fetchWebhook: (url: string, body: string) => Promise<number>;
  /** What handlers print, as it comes. */
  readonly log?: (endpointId: string, text: string) => void;
  /** Why a webhook was not sent. */
  readonly onWebhookRefused?: (jobId: string, reason: string) => void;
}

export interface Runner {
  /**
   * Looks at the state once: starts and ends handlers, and sends the webhooks that are due. Call it every 100 ms or so;
   * where a handler ends, the runner looks again by itself. Rejects with what a step has failed with since the last
   * call (local-file, 14).
   */
  tick(): Promise<void>;
  /** Ends every handler for real; nothing is reported after it. */
  stop(): Promise<void>;
}

/** A job that a worker of a module's endpoint has in hand. */
interface Assignment {
  readonly workerId: string;
  readonly job: Job;
  readonly module: string | undefined;
}

interface Survey {
  readonly assignments: readonly Assignment[];
  /** Ids of all workers of such endpoints. */
  readonly workerIds: ReadonlySet<string>;
  readonly due: readonly DueDelivery[];
}

/** A worker's thread, and the job it runs: `id attempt`. */
interface Hand {
  readonly thread: HandlerThread;
  running: string | undefined;
  /** Whole lines it printed since the last look. */
  readonly printed: string[];
}

/**
 * Runs handler modules of the user's own and delivers webhooks, for a service that is served. Each worker in the state
 * has a thread of its own here, that lives as long as the worker; what the state no longer has running is ended.
 */
export function createRunner(options: RunnerOptions): Runner {
  const modules = new Map(Object.entries(options.handlers));
  const hands = new Map<string, Hand>();
  const background = new Set<Promise<void>>();
  const sending: Delivery[] = [];
  let round: Promise<void> = Promise.resolve();
  let trouble: unknown;
  let stopped = false;

  const inBackground = (work: Promise<void>): void => {
    const kept = work
      .catch((error: unknown) => {
        trouble ??= error;
      })
      .finally(() => background.delete(kept));
    background.add(kept);
  };

  const look = async (): Promise<void> => {
    if (stopped) return;
    const printed = [...hands].map(([workerId, hand]) => ({ workerId, lines: hand.printed.splice(0) }));
    const survey = await options.transact((state, now) => {
      for (const { workerId, lines } of printed) if (lines.length > 0) reportPrinted(state, workerId, lines, now);
      return surveyOf(state, now, modules);
    });
    await endOthers(hands, survey);
    for (const assignment of survey.assignments) inBackground(take(assignment));
    for (const due of survey.due) inBackground(send(due));
  };

  const tick = (): Promise<void> => {
    const next = round.then(look);
    round = next.catch(() => undefined);
    return next;
  };

  const report = (step: (state: State, now: number) => void): Promise<void> =>
    stopped ? Promise.resolve() : options.transact(step);

  const take = async ({ workerId, job, module }: Assignment): Promise<void> => {
    if (module === undefined) {
      const error = `no handler module is served for endpoint ${job.endpointId}: start with --endpoint ${job.endpointId}=FILE`;
      await report((state, now) => {
        reportEnd(state, job.id, job.attempt, { kind: 'error', error }, now);
      });
      return;
    }
    const hand = await handFor(workerId, job.endpointId, module);
    if (hand.running !== undefined || stopped) return;
    hand.running = nameOf(job);
    let made = 0;
    const onChunk = (text: string): Promise<void> => {
      const index = made++;
      return report((state) => {
        reportChunk(state, job.id, job.attempt, index, { output: decodeJson(text), metrics: {} });
      });
    };
    try {
      const outcome = await hand.thread.run({ id: job.id, endpointId: job.endpointId, input: job.input }, onChunk);
      if (outcome === undefined) return;
      await report((state, now) => {
        reportEnd(state, job.id, job.attempt, outcome, now);
        // With the state's own step: no look in between may take the job for one that nobody runs.
        hand.running = undefined;
      });
    } catch (error) {
      await hand.thread.end();
      throw error;
    }
    await tick();
  };

  const handFor = async (workerId: string, endpointId: string, module: string): Promise<Hand> => {
    const { createHandlerThread } = await import('./thread/thread.ts');
    const known = hands.get(workerId);
    if (known !== undefined && !known.thread.gone) return known;
    const printed: string[] = [];
    let unfinished = '';
    const thread = createHandlerThread(module, (text) => {
      options.log?.(endpointId, text);
      const lines = (unfinished + text).split(/\r?\n/);
      unfinished = lines.pop() ?? '';
      printed.push(...lines);
    });
    const hand: Hand = { thread, running: undefined, printed };
    hands.set(workerId, hand);
    return hand;
  };

  const send = async ({ delivery, url, body }: DueDelivery): Promise<void> => {
    if (sending.some((other) => sameTry(other, delivery))) return;
    sending.push(delivery);
    const result = await options.fetchWebhook(url, body).then(
      (status) => (status === 200 ? 'delivered' : 'failed'),
      (error: unknown) => {
        if (!(error instanceof WebhookRefused)) return 'failed';
        options.onWebhookRefused?.(delivery.jobId, error.message);
        return 'refused';
      },
    );
    await report((state, now) => {
      noteDelivery(state, delivery, result, now);
    }).finally(() => sending.splice(sending.indexOf(delivery), 1));
  };

  return {
    tick: async () => {
      await tick();
      const failed = trouble;
      trouble = undefined;
      if (failed !== undefined) throw failed as Error;
    },
    stop: async () => {
      stopped = true;
      await round;
      await Promise.all([...hands.values()].map(({ thread }) => thread.end()));
      await Promise.all(background);
    },
  };
}

/** Ends the threads whose job was cancelled, timed out or deleted, and those whose worker is gone. */
async function endOthers(hands: Map<string, Hand>, survey: Survey): Promise<void> {
  const names = new Map(survey.assignments.map(({ workerId, job }) => [workerId, nameOf(job)]));
  const over = [...hands].filter(
    ([workerId, { running }]) =>
      !survey.workerIds.has(workerId) || (running !== undefined && names.get(workerId) !== running),
  );
  for (const [workerId] of over) hands.delete(workerId);
  await Promise.all(over.map(([, { thread }]) => thread.end()));
}

function surveyOf(state: State, now: number, modules: ReadonlyMap<string, string>): Survey {
  const endpoints = Object.values(state.endpoints).filter(({ handler }) => handler === 'module');
  const workers = endpoints.flatMap((endpoint) => {
    const lane = state.queue.lanes[endpoint.id];
    return lane === undefined ? [] : workersIn(lane).map((worker) => ({ worker, module: moduleOf(endpoint, modules) }));
  });
  return {
    workerIds: new Set(workers.map(({ worker }) => worker.id)),
    assignments: workers.flatMap(({ worker, module }) => {
      const job = worker.jobId === undefined ? undefined : state.queue.jobs[worker.jobId];
      return job === undefined ? [] : [{ workerId: worker.id, job, module }];
    }),
    due: dueDeliveries(state, now),
  };
}

const moduleOf = (endpoint: EndpointRecord, modules: ReadonlyMap<string, string>): string | undefined =>
  modules.get(endpoint.id) ?? modules.get(endpoint.name);

/** A job's run, told apart from the runs before it. */
const nameOf = (job: Job): string => `${job.id} ${String(job.attempt)}`;
