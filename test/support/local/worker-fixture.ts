import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newEndpoint } from '../../../src/local/model/endpoints.ts';
import { createRunner, type RunnerOptions } from '../../../src/local/workers/runner.ts';
import { endpointVariables } from '../../../src/local/workers/handlers.ts';
import { type ModuleSource, startHandlerThread } from '../../../src/local/workers/thread.ts';
import { COLD_START_MS } from '../../../src/local/queue/workers.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { createHarness, type Harness } from './queue-fixture.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

/** A service whose endpoint `mine` a handler module serves. */
export interface Served {
  readonly service: Harness;
  /** The test's own, gone after it. */
  readonly folder: string;
  /** Of the handler module, which lies in the folder. */
  readonly path: string;
  readonly tick: () => Promise<void>;
  /** Stops the runner there is. */
  readonly stop: () => Promise<void>;
  /** Puts another runner in its place, with other options over the first ones. */
  readonly replaceRunner: (options?: Partial<RunnerOptions>) => void;
  /** Submits a job to `mine`, and its worker is up. Gives the job's id. */
  readonly start: (input: string, more?: string) => Promise<string>;
  /** Ticks until it is so. Threads take real time to start; the service's own clock stands still meanwhile. */
  readonly until: <T>(look: () => Promise<T> | T, isSo: (found: T) => boolean) => Promise<T>;
  /** The status document of a job of `mine`, once it has ended. */
  readonly ended: (id: string) => Promise<JsonObject>;
}

/** Serves a handler module of this source. What it leaves is cleared away when the test is over. */
export async function serve(
  source: string,
  options: Partial<RunnerOptions> = {},
  name = 'handler.mjs',
): Promise<Served> {
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

  const until: Served['until'] = async (look, isSo) => {
    for (let tries = 0; tries < 2000; tries++) {
      await runner.sync();
      const found = await look();
      if (isSo(found)) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`it never came: ${JSON.stringify(await look())}`);
  };

  return {
    service,
    folder,
    path,
    until,
    tick: () => runner.sync(),
    stop: () => runner.stop(),
    replaceRunner: (others) => {
      runner = run(others);
    },
    start: async (input, more = '') => {
      const id = await service.submit('mine', input, more);
      service.pass(COLD_START_MS);
      return id;
    },
    ended: (id) =>
      until(
        () => service.status('mine', id),
        ({ status }) => status !== 'IN_QUEUE' && status !== 'IN_PROGRESS',
      ),
  };
}
