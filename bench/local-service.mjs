/**
 * A local service in a separate process, in memory, whose endpoint `bench` is served by workers that attach. Sends its address
 * to its parent, and the CPU time that it has used at each message. It is bundled from the sources by the parent, so that it needs no command of its own.
 */
import { createLocalService, memoryStore, serveLocal } from '../src/local/index.ts';

const sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });

const service = createLocalService({
  clock: { now: () => Date.now(), monotonic: () => performance.now(), sleep },
  random: Math.random,
  store: memoryStore(),
  queueLimits: false,
  handlers: { bench: { kind: 'attach' } },
});
const served = await serveLocal(service, { port: 0, host: '127.0.0.1' });
service.start(served.port);
process.send(served.url);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicroseconds: user + system });
});
process.on('disconnect', () => process.exit());
