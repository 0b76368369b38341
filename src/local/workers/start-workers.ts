import type { EndpointSource } from './handlers.ts';
import type { StartProcess } from './processes.ts';
import { startExecWorker } from './exec-worker.ts';
import { type CommandSource, createSupervisor, type SupervisorOptions } from './supervisor.ts';
import { createRunner, type RunnerOptions } from './runner.ts';
import { startHandlerThread } from './thread.ts';

export interface WorkersOptions
  extends Omit<RunnerOptions, 'startWorker'>, Omit<SupervisorOptions, 'sources' | 'startProcess' | 'log'> {
  /** Needed for sources that are commands. */
  readonly startProcess: StartProcess | undefined;
}

export interface Workers {
  sync(): Promise<void>;
  /** None is left when it resolves. */
  stop(): Promise<void>;
}

export function startWorkers(options: WorkersOptions): Workers {
  const { monotonic, startProcess = cannotStart, log = () => undefined } = options;
  const commands = new Map(Object.entries(options.sources).filter(isCommandEntry));
  const runner = createRunner({
    ...options,
    startWorker: (source, start) =>
      source.kind === 'module'
        ? startHandlerThread(source, monotonic, start)
        : startExecWorker(source, { ...start, startProcess, monotonic }),
  });
  const supervisor =
    commands.size === 0 || options.startProcess === undefined
      ? undefined
      : createSupervisor({ ...options, sources: commands, startProcess, log });
  return {
    sync: async () => {
      await supervisor?.sync();
      await runner.sync();
    },
    stop: async () => {
      await Promise.all([supervisor?.stop(), runner.stop()]);
    },
  };
}

const isCommandEntry = (entry: readonly [string, EndpointSource]): entry is [string, CommandSource] =>
  entry[1].kind === 'command';

const cannotStart: StartProcess = () => {
  throw new Error('no processes can be started here');
};
