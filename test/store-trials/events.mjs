/** Makes the events of a plan happen. Each returns false when it did not apply. */
import { sleep, until } from '../chaos/processes.mjs';

const START_TIMEOUT_MS = 20_000;

/** Waits until the driver runs, for a moment after another event ended it. */
const untilRunning = (driver) => until(() => (driver.isRunning() ? true : undefined), START_TIMEOUT_MS);

/** Runs work during which the end of every driver has a cause. */
const duringAll = (drivers, cause, work) =>
  drivers.reduce((inner, driver) => () => driver.during(cause, inner), work)();

export const EVENTS = {
  kill: async ({ driver, delayMs }, { drivers }) => {
    const target = drivers[driver];
    await sleep(delayMs);
    if ((await untilRunning(target)) === undefined) return false;
    target.cause('SIGKILL');
    return target.signal('SIGKILL');
  },
  stop: async ({ driver, forMs }, { drivers }) => {
    const target = drivers[driver];
    if ((await untilRunning(target)) === undefined) return false;
    target.cause('stop');
    if (!target.signal('SIGSTOP')) return false;
    await sleep(forMs);
    return target.signal('SIGCONT');
  },
  cut: async ({ driver, forMs, how }, { drivers, proxies }) => {
    const target = drivers[driver];
    if ((await untilRunning(target)) === undefined) return false;
    await target.during('cut', async () => {
      proxies[driver][how]();
      await sleep(forMs);
      proxies[driver].restore();
    });
    return true;
  },
  restart: async (_, { drivers, cluster }) => {
    await duringAll(drivers, 'restart', () => cluster.restart());
    return true;
  },
  crash: async ({ downMs }, { drivers, cluster }) => {
    await duringAll(drivers, 'crash', async () => {
      await cluster.kill();
      await sleep(downMs);
      await cluster.start();
    });
    return true;
  },
};

/**
 * Runs events one after the other for each driver, and one after the other for the database, so that a driver that is stopped
 * is not stopped again. `add` queues an event; `idle` resolves when none is left; `waiting` is their number.
 */
export function createLanes(world, { onDone, onError }) {
  const lanes = new Map();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    add: (event) => {
      const name = event.driver ?? 'database';
      waiting += 1;
      const work = (lanes.get(name) ?? Promise.resolve()).then(async () => {
        try {
          onDone(event, (await EVENTS[event.kind](event, world)) !== false);
        } catch (error) {
          onError(event, error);
        } finally {
          waiting -= 1;
        }
      });
      lanes.set(name, work);
    },
    idle: async () => {
      while (waiting > 0) await Promise.all(lanes.values());
    },
  };
}
