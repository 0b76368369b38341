import { existsSync, readdirSync, rmSync } from 'node:fs';
import type { Clock } from '../../../src/core/context.ts';
import { berthIn, type Ran } from './run-berth.ts';
import { createTestWorld, type TestWorld } from './test-world.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/**
 * Runs of which a test kills some in the middle of a request: what was killed does nothing more. To be called inside a test.
 * `clock` is that of the service.
 */
export function killedRuns(clock: Clock) {
  const abandoned: Promise<unknown>[] = [];
  let endPauses: (reason: Error) => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    endPauses = reject;
  });
  over.catch(() => undefined);
  let killed: () => void = () => undefined;
  return {
    /** Kills the run whose request is being handled: its request is never answered. */
    kill: async (): Promise<never> => {
      killed();
      return await never();
    },
    /** Runs a command; undefined when it was killed. */
    run: async (world: TestWorld, argv: readonly string[]): Promise<Ran | undefined> => {
      let isDead = false;
      const death = new Promise<undefined>((resolve) => {
        killed = () => {
          isDead = true;
          // As the next process does with the lock of a dead one.
          const folder = `${String(world.env['BERTH_DATA_DIR'])}/accounts`;
          const names = existsSync(folder) ? readdirSync(folder) : [];
          for (const name of names.filter((each) => each.includes('.lock')))
            rmSync(`${folder}/${name}`, { recursive: true, force: true });
          resolve(undefined);
        };
      });
      const mortal: Clock = {
        ...clock,
        sleep: (milliseconds, signal) => (isDead ? over : clock.sleep(milliseconds, signal)),
        deadline: () => () => undefined,
      };
      const ran = berthIn(Object.assign(world, { clock: mortal }), argv);
      abandoned.push(ran.catch(() => undefined));
      return await Promise.race([death, ran]);
    },
    /** Ends what was killed, before its files go. `stop` closes its connections. */
    end: async (stop: () => void): Promise<void> => {
      endPauses(new Error('the test is over'));
      stop();
      await Promise.all(abandoned);
    },
  };
}

/** `createTestWorld` of a machine that keeps what it remembers in a folder. */
export const worldAt = (env: Readonly<Record<string, string>>, cwd: string): TestWorld =>
  createTestWorld({ env: { ...env, BERTH_DATA_DIR: `${cwd}/data` }, cwd });
