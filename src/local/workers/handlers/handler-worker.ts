import type { Outcome } from '../../queue/jobs/builtin-handlers.ts';
import type { EndpointSource } from './source.ts';

/** A job as a handler receives it; `input` is JSON text. */
export interface HandlerJob {
  readonly id: string;
  readonly endpointId: string;
  readonly input: string;
}

/** The running handler of one worker: a thread, or an object that runs a command for each job. */
export interface HandlerWorker {
  /**
   * Runs one job. `onChunk` is called with each chunk's JSON text; the handler continues when the promise of `onChunk`
   * has resolved. Resolves with the outcome, errors of the handler included; with undefined when the worker was
   * stopped. Rejects only when `onChunk` rejects.
   */
  run(job: HandlerJob, onChunk: (text: string) => Promise<void>): Promise<Outcome | undefined>;
  /** True when it cannot run another job: it was stopped, or has crashed. */
  readonly stopped: boolean;
  /** Stops it immediately, and cancels the job that it runs, even one in an endless loop. */
  stop(): Promise<void>;
}

/** The source of an endpoint whose jobs are assigned to the workers here, which do not request them. */
export type HandlerSource = Extract<EndpointSource, { readonly kind: 'module' | 'exec' }>;

/** What a handler is started with. */
export interface HandlerStart {
  /** The variables of its endpoint, beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Called with each line that it prints; the number and length of lines are limited. */
  readonly onLine: (line: string) => void;
}

export type StartHandlerWorker = (source: HandlerSource, start: HandlerStart) => HandlerWorker;
