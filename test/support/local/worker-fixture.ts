import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newEndpoint } from '../../../src/local/model/endpoints.ts';
import { createRunner, type RunnerOptions } from '../../../src/local/workers/runner.ts';
import { endpointVariables } from '../../../src/local/workers/handlers.ts';
import { type ModuleSource, startHandlerThread } from '../../../src/local/workers/thread.ts';
import { COLD_START_MS } from '../../../src/local/queue/workers.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { createHarness } from './queue-fixture.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

/** A service whose endpoint `mine` a handler module serves. */
export type Served = Awaited<ReturnType<typeof serve>>;

/** Serves a handler module of this source. What it leaves is cleared away when the test is over. */
export async function serve(source: string, options: Partial<RunnerOptions> = {}, name = 'handler.mjs') {
  const folder = temporaryDirectory();
  const path = join(folder, name);
  await writeFile(path, source);
  const service = createHarness({ endpoints: [newEndpoint('mine', 'module', 0)] });
  const run = (others: Partial<RunnerOptions> = {}) =>
    createRunner({
      transact: service.transact,
      sources: { mine: { kind: 'module', path } },
      environmentOf: endpointVariables('BERTH'),
      startWorker: (source, start) => startHandlerThread(source as ModuleSource, () => performance.now(), start),
      sendWebhook: () => Promise.reject(new Error('no webhook here')),
      ...options,
      ...others,
    });
  let runner = run();
  onTestFinished(async () => {
    await runner.stop();
  });

  /** Ticks until it is so. Threads take real time to start; the service's own clock stands still meanwhile. */
  const until = async <T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> => {
    for (;;) {
      await runner.sync();
      const found = await look();
      if (isSo(found)) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };

  return {
    service,
    folder,
    path,
    until,
    tick: (): Promise<void> => runner.sync(),
    stop: (): Promise<void> => runner.stop(),
    /** Puts another runner in its place, with other options over the first ones. */
    replaceRunner: (others?: Partial<RunnerOptions>): void => {
      runner = run(others);
    },
    /** Submits a job to `mine`, and its worker is up. Gives the job's id. */
    start: async (input: string, more = ''): Promise<string> => {
      const id = await service.submit('mine', input, more);
      service.pass(COLD_START_MS);
      return id;
    },
    /** The status document of a job of `mine`, once it has ended. */
    ended: (id: string): Promise<JsonObject> =>
      until(
        () => service.status('mine', id),
        ({ status }) => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS',
      ),
  };
}
