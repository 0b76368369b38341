import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock, LocalHost } from '../core/context.ts';
import { usage } from '../core/failure.ts';

/** What a served local service takes from the world. */
export interface LocalSurroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly cwd: string;
}

/**
 * Starts local services on 127.0.0.1. Files and handler modules are relative to the working directory.
 * Fails with usage (2) where the port is taken or a handler module does not exist.
 */
export function createLocalHost({ clock, random, cwd }: LocalSurroundings): LocalHost {
  return {
    serve: async ({ port, stateFile, handlers, quota, queueLimits }) => {
      const modules = Object.fromEntries(
        Object.entries(handlers).map(([name, module]) => [name, handlerPath(cwd, name, module)]),
      );
      const { createLocalService, fileStore, LOCAL_KEY, memoryStore, serveLocal } = await import('../local/index.ts');
      const store = stateFile === undefined ? memoryStore() : fileStore(resolve(cwd, stateFile));
      const service = createLocalService({ clock, random, store, quota, queueLimits, handlers: modules });
      const served = await serveLocal(service, { port, host: '127.0.0.1' });
      service.start();
      return {
        url: served.url,
        key: LOCAL_KEY,
        stop: async () => {
          await served.stop();
          await service.stop();
        },
      };
    },
  };
}

function handlerPath(cwd: string, endpoint: string, module: string): string {
  const path = module.startsWith('file:') ? fileURLToPath(module) : resolve(cwd, module);
  if (!existsSync(path)) throw usage(`the handler module of endpoint "${endpoint}" does not exist: ${module}`);
  return path;
}
