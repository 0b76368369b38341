import type { StartProcess } from './port.ts';

/** Starts processes and keeps a list of those that run, so that all of them can be ended. */
export interface AllProcesses {
  readonly start: StartProcess;
  /** Ends every process that runs; resolves when none is left. */
  stop(): Promise<void>;
}

export function createAllProcesses(start: StartProcess): AllProcesses {
  const running = new Set<ReturnType<StartProcess>>();
  return {
    start: (spec) => {
      const process = start(spec);
      running.add(process);
      // The process counts as ended only when the processes that it has left running have ended too.
      void process.ended.then(() => process.stop()).then(() => running.delete(process));
      return process;
    },
    stop: async () => {
      await Promise.all([...running].map((process) => process.stop()));
    },
  };
}
