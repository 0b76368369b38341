import { expect, test } from 'vitest';
import { realClock } from '../../../../src/host/runtime/runtime.ts';
import { createStartProcess } from '../../../../src/host/process/start-process.ts';
import { endpoints, newEndpoint } from '../../../../src/local/model/endpoints.ts';
import { secrets, setSecretValue } from '../../../../src/local/model/records.ts';
import { startExecWorker } from '../../../../src/local/workers/start-workers.ts';
import { serve, type Served } from '../../../support/local/worker-fixture.ts';

// Placeholders are replaced when a worker boots; a new value arrives at the next boot (additions to the contract, 7).

const MODULE = 'export default () => process.env.TOKEN;';
const startProcess = createStartProcess({ env: process.env, platform: process.platform, clock: realClock });

/** A command for each job in the place of the module of `mine`. */
async function serveCommand(): Promise<Served> {
  const served = await serve('');
  served.replaceRunner({
    sources: { mine: { kind: 'exec', command: 'echo "$TOKEN"', cwd: served.folder } },
    startWorker: (source, start) => {
      if (source.kind !== 'exec') throw new Error(source.kind);
      return startExecWorker(source, { ...start, startProcess, monotonic: () => realClock.monotonic() });
    },
  });
  return served;
}

test.each([
  ['a handler module', () => serve(MODULE)],
  ['a command for each job', serveCommand],
])('%s gets the value of a secret, and a new value when its worker is started anew', async (_, start) => {
  const served = await start();
  const { state } = served.service;
  const secret = secrets.put(state, { id: 's1', name: 'hf', description: null, createdAt: 0, valueChangedAt: null });
  setSecretValue(state, secret, 'first');
  const { container, ...endpoint } = newEndpoint('mine', 'module', 0);
  endpoints.put(state, { ...endpoint, container: { ...container, env: { TOKEN: '{{ BERTH_SECRET_hf }}' } } });
  const output = async () => (await served.ended(await served.start('{}'))).output;
  expect(await output()).toBe('first');
  setSecretValue(state, secret, 'second');
  expect(await output()).toBe('first');
  served.service.pass(3_600_000);
  await served.tick();
  expect(await output()).toBe('second');
});
