import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { json, pointedAt, serve, text, type Behaviour } from '../servers/scripted-server.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../worlds/test-world.ts';

export interface Submission {
  /** Counts submissions from 1. */
  readonly nth: number;
  readonly input: unknown;
}

/** A `status` without a body is an empty answer; with `never` the request gets no answer. */
export interface TinyAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly never?: boolean;
}

export interface TinyAnswers {
  /** The answer to a submission; by default it is accepted with a unique id. */
  readonly submit?: (submission: Submission) => TinyAnswer | undefined;
  /** Members of the answer to the `nth` poll, merged over `COMPLETED` with the input as the output. */
  readonly status?: (job: string, nth: number) => Readonly<Record<string, unknown>> | undefined;
}

export interface TinyQueueWorld extends TestWorld {
  /** The inputs that were submitted, in order. */
  readonly submitted: unknown[];
  /** Called before each answer. */
  before: (operation: string, nth: number) => void;
}

/** Starts a small server with the queue API and returns a world that is configured for it. Every job is done at its first poll. */
export async function createTinyQueueWorld(
  answers: TinyAnswers = {},
  options: TestWorldOptions = {},
): Promise<TinyQueueWorld> {
  const submitted: unknown[] = [];
  const jobs = new Map<string, unknown>();
  let polls = 0;
  const answer: Behaviour = (exchange) => {
    const { url, body } = exchange.arrival;
    const [, , , operation = '', job = ''] = url.split('/');
    const send = (status: number, value: unknown): void => {
      (value === undefined ? text('', status) : json(value, status))(exchange);
    };
    if (operation === 'health') {
      send(200, { jobs: {}, workers: {} });
      return;
    }
    if (operation === 'run') {
      const { input } = JSON.parse(body.toString()) as { input: unknown };
      submitted.push(input);
      const nth = submitted.length;
      queueWorld.before(operation, nth);
      const id = `job-${String(nth)}`;
      const special = answers.submit?.({ nth, input });
      jobs.set((special?.body as { id?: string } | undefined)?.id ?? id, input);
      if (special?.never === true) return;
      send(special?.status ?? 200, special === undefined ? { id, status: 'IN_QUEUE' } : special.body);
      return;
    }
    if (operation !== 'status') {
      send(404, { error: 'not found' });
      return;
    }
    polls += 1;
    queueWorld.before(operation, polls);
    const id = decodeURIComponent(job);
    send(200, { id, status: 'COMPLETED', output: jobs.get(id), ...answers.status?.(id, polls) });
  };
  const env = pointedAt((await serve([answer])).url);
  const world = createTestWorld({ clock: createAutoAdvancingClock(), ...options, env });
  const queueWorld: TinyQueueWorld = { ...world, submitted, before: () => undefined };
  return queueWorld;
}

/** Flags for the highest possible speed. */
export const FAST = ['--rate', '100000', '--concurrency', '16'];
