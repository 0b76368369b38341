import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_KEY } from '../../../../../src/local/http/admission.ts';
import { serveLocal } from '../../../../../src/local/http/server.ts';
import { createLocalService } from '../../../../../src/local/service.ts';
import { memoryStore } from '../../../../../src/local/state/store.ts';
import { pointedAt } from '../../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestClock } from '../../../../support/clocks/test-clock.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';
import { until } from '../../../../support/servers/log-server.ts';

describe('pods logs --follow on the local service', () => {
  it('follows a pod across a restart of the service without losing or repeating a line', async () => {
    const options = { clock: createTestClock(), random: () => 0.5, store: memoryStore(), queueLimits: false };
    const start = async (port: number) => {
      const service = createLocalService(options);
      const served = await serveLocal(service, { port, host: '127.0.0.1' });
      return { ...served, stop: () => served.stop().then(() => service.stop()) };
    };
    let server = await start(0);
    onTestFinished(() => server.stop());
    const port = Number(new URL(server.url).port);
    let restarted = Promise.resolve();
    const clock = createTestClock();
    const world: TestWorld = createTestWorld({
      // A pause between two tries ends only after the restart.
      clock: { ...clock, sleep: (ms, signal) => restarted.then(() => clock.sleep(ms, signal)) },
      env: { ...pointedAt(server.url), BERTH_API_KEY: LOCAL_KEY },
    });
    const steps = (): readonly number[] => [...world.out().matchAll(/step (\d+)/g)].map(([, step]) => Number(step));
    const running = berthIn(world, ['pods', 'logs', 'pod-train', '--follow', '--tail', '3']);
    for (let restarts = 0; restarts < 3; restarts++) {
      const before = steps().length;
      await until(() => steps().length > before + 3);
      let finishRestart: () => void = () => undefined;
      restarted = new Promise((resolve) => (finishRestart = resolve));
      await server.stop();
      server = await start(port);
      finishRestart();
    }
    const before = steps().length;
    await until(() => steps().length > before + 3);
    world.signal('SIGINT');
    expect((await running).code).toBe(130);
    const [first = 0] = steps();
    expect(steps()).toEqual(steps().map((_, at) => first + at));
  });

  it('ends after Ctrl-C if the service runs in the same process', async () => {
    const world = createTestWorld();
    const running = berthIn(world, ['--local', 'pods', 'logs', 'pod-train', '-f', '--tail', '2']);
    await until(() => world.out().split('\n').length > 4);
    world.signal('SIGINT');
    expect((await running).code).toBe(130);
  });
});
