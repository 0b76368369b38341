import { withServed } from '../../../src/local/model/endpoints.ts';
import { recordWorkerExit } from '../../../src/local/queue/engine.ts';
import { managedWorkers } from '../../../src/local/queue/workers.ts';
import { attached, type AttachedService } from './attached-service.ts';

/** A service that starts a process for each worker of `mine`; the test plays the processes. */
export const managed = (): Promise<AttachedService> =>
  attached({ handlers: { mine: { kind: 'command', command: 'worker', cwd: '/' } } });

/** How the process of a worker ends. */
export const EXIT = 'the process ended with exit code 1';
export const KILLED = 'the process was ended by SIGKILL';

/** What happens when the process of a worker has ended. */
export const exit = (local: AttachedService, workerId: string, how: string): void => {
  const now = local.clock.now();
  withServed(local.state, { mine: { handler: 'protocol' } }, now, () => {
    recordWorkerExit(local.state, 'mine', workerId, how, now);
  });
};

/** The health of `mine`. */
export const health = async ({ send }: AttachedService): Promise<unknown> =>
  (await send('GET', '/v2/mine/health')).body;

/** The ids of the workers whose processes should run now. */
export const workerIds = (local: AttachedService): readonly string[] =>
  managedWorkers(local.state).map(({ workerId }) => workerId);

/** Moves the clock as if nothing happened meanwhile, and lets the service look at it. */
export const pass = async (local: AttachedService, milliseconds: number): Promise<void> => {
  local.clock.advance(milliseconds);
  await health(local);
};
