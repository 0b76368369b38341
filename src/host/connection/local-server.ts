import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock, LocalHost } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { absolutePath } from '../files/absolute-path.ts';

/** What a served local service takes from the world. */
export interface LocalSurroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly cwd: string;
  /** Where what handler modules print goes: stdout is data. */
  readonly stderr: Writable;
  /** As World says. */
  holdProgram(): void;
}

/**
 * Starts local services on 127.0.0.1. Files and handler modules are relative to the working directory.
 * Fails with usage (2) where the port is taken, or a handler module does not exist, does not load or exports no handler.
 */
export function createLocalHost(surroundings: LocalSurroundings): LocalHost {
  const { clock, random } = surroundings;
  return {
    serve: async ({ port, stateFile, handlers, ...settings }) => {
      const modules = Object.fromEntries(
        Object.entries(handlers).map(([name, module]) => [name, handlerPath(surroundings, name, module)]),
      );
      surroundings.holdProgram();
      const { createLocalService, fileStore, LOCAL_KEY, memoryStore, serveLocal } =
        await import('../../local/index.ts');
      const { createFileLocks } = await import('../lock/locks.ts');
      await checkHandlers(modules, clock);
      const store =
        stateFile === undefined
          ? memoryStore()
          : fileStore(absolutePath(surroundings, stateFile), createFileLocks({ clock }));
      const log = printer(surroundings);
      const service = createLocalService({
        ...settings,
        clock,
        random,
        store,
        handlers: modules,
        log,
        onWebhookRefused: (job, reason) => {
          surroundings.stderr.write(`The webhook of job ${safeText(job)} is not sent: ${safeText(reason)}\n`);
        },
      });
      const served = await serveLocal(service, { port, host: '127.0.0.1' });
      service.start(served.port);
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

/** How long modules may take to load before they are believed: those that load a model take their time. Milliseconds. */
const PATIENCE_MS = 10_000;

/** Refuses at the start what would fail job by job. */
async function checkHandlers(modules: Readonly<Record<string, string>>, clock: Clock): Promise<void> {
  if (Object.keys(modules).length === 0) return;
  const { troubleOf } = await import('../../local/workers/thread/thread.ts');
  const patience = clock.deadline(PATIENCE_MS);
  try {
    await Promise.all(
      Object.entries(modules).map(async ([endpoint, path]) => {
        const trouble = await troubleOf(path, patience.signal);
        if (trouble === undefined) return;
        throw usage(`endpoint "${endpoint}": ${trouble.includes(path) ? '' : `${path}: `}${trouble}`, EXPORTS);
      }),
    );
  } finally {
    patience.cancel();
  }
}

const EXPORTS =
  'A handler module exports a function or an async generator, as default or as `handler`: export default async (input) => ({ ok: true });';

/** Each line that a handler module prints, with its endpoint before it and made harmless for a terminal. */
const printer =
  ({ stderr }: LocalSurroundings) =>
  (endpoint: string, text: string): void => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/))
      stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
  };

function handlerPath(around: LocalSurroundings, endpoint: string, module: string): string {
  const path = module.startsWith('file:') ? fileURLToPath(module) : absolutePath(around, module);
  if (!existsSync(path)) throw usage(`the handler module of endpoint "${endpoint}" does not exist: ${module}`);
  return path;
}
