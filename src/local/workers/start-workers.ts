import type { EndpointSource, StartHandlerWorker } from './handlers.ts';
import { type AllProcesses, createAllProcesses, type StartProcess } from './processes.ts';
import { startExecWorker } from './exec-worker.ts';
import { type CommandSource, createSupervisor, type SupervisorOptions } from './supervisor.ts';
import { createRunner, type RunnerOptions } from './runner.ts';
import { startHandlerThread } from './thread.ts';

export interface WorkersOptions
  extends
    Omit<RunnerOptions, 'startWorker'>,
    Pick<SupervisorOptions, 'protocolVariablesOf' | 'monotonic' | 'startFault'> {
  /** Needed for sources that are commands. */
  readonly startProcess: StartProcess | undefined;
}

export interface Workers {
  sync(): Promise<void>;
  /** None is left when it resolves. */
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
