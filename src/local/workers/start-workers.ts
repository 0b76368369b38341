import type { EndpointSource } from './handlers/source.ts';
import { createAllProcesses, type AllProcesses } from './process/all-processes.ts';
import { startExecWorker } from './process/exec-worker.ts';
import type { StartProcess } from './process/port.ts';
import { createSupervisor, type CommandSource, type SupervisorOptions } from './process/supervisor.ts';
import type { StartHandlerWorker } from './handlers/handler-worker.ts';
import { createRunner, type RunnerOptions } from './runner.ts';
import { startHandlerThread } from './thread/thread.ts';

export interface WorkersOptions
  extends
    Omit<RunnerOptions, 'startWorker'>,
    Pick<SupervisorOptions, 'protocolVariablesOf' | 'monotonic' | 'startFault'> {
  /** Needed for sources that are commands. */
  readonly startProcess: StartProcess | undefined;
}

/** The workers of a service whose HTTP server is running: threads, commands for each job, and processes. */
export interface Workers {
  /** See `Runner.sync` and `Supervisor.sync`. */
  sync(): Promise<void>;
  /** Stops every worker; none is left when it resolves. */
  stop(): Promise<void>;
}

export function startWorkers(options: WorkersOptions): Workers {
  const {
    transact,
    sources,
    monotonic,
    environmentOf,
    protocolVariablesOf,
    startFault,
    log = () => undefined,
  } = options;
  const processes = createAllProcesses(options.startProcess ?? cannotStart);
  const commands = new Map(Object.entries(sources).filter(isCommandEntry));
  const runner = createRunner({ ...options, startWorker: handlerWorkers(processes, monotonic) });
  const supervisor =
    commands.size === 0 || options.startProcess === undefined
      ? undefined
      : createSupervisor({
          transact,
          sources: commands,
          startProcess: processes.start,
          environmentOf,
          protocolVariablesOf,
          startFault,
          monotonic,
          log,
        });
  return {
    sync: async () => {
      await supervisor?.sync();
      await runner.sync();
    },
    stop: async () => {
      await Promise.all([supervisor?.stop(), runner.stop()]);
      await processes.stop();
    },
  };
}

const handlerWorkers =
  (processes: AllProcesses, monotonic: () => number): StartHandlerWorker =>
  (source, start) =>
    source.kind === 'module'
      ? startHandlerThread(source, monotonic, start)
      : startExecWorker(source, { ...start, startProcess: processes.start, monotonic });

const isCommandEntry = (entry: readonly [string, EndpointSource]): entry is [string, CommandSource] =>
  entry[1].kind === 'command';

const cannotStart: StartProcess = () => {
  throw new Error('no processes can be started here');
};
