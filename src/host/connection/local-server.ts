import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock, LocalHost } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { absolutePath } from '../files/absolute-path.ts';

/** What a served local service needs from the process. */
export interface LocalServerOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly cwd: string;
  /** The output of handler modules is written here: stdout is for data. */
  readonly stderr: Writable;
  /** As World says. */
  holdProgram(): void;
}

/**
 * Starts local services on 127.0.0.1. The paths of files and handler modules are relative to the working directory. Fails
 * with usage (2) when the port is in use, or a handler module does not exist, cannot be loaded or exports no handler.
 */
export function createLocalHost(options: LocalServerOptions): LocalHost {
  const { clock, random } = options;
  return {
    serve: async ({ port, stateFile, handlers, ...settings }) => {
      const modules = Object.fromEntries(
        Object.entries(handlers).map(([name, module]) => [name, handlerPath(options, name, module)]),
      );
      options.holdProgram();
      const { checkHandlerModule, createLocalService, fileStore, LOCAL_KEY, memoryStore, serveLocal } =
        await import('../../local/index.ts');
      const { createFileLocks } = await import('../lock/locks.ts');
      await checkHandlers(modules, clock, checkHandlerModule);
      const store =
        stateFile === undefined
          ? memoryStore()
          : fileStore(absolutePath(options, stateFile), createFileLocks({ clock }));
      const log = printer(options);
      const service = createLocalService({
        ...settings,
        clock,
        random,
        store,
        handlers: modules,
        log,
        onWebhookRefused: (job, reason) => {
          options.stderr.write(`The webhook of job ${safeText(job)} is not sent: ${safeText(reason)}\n`);
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

/** How long the check of a module may take. A module that takes longer, because it loads a model, is accepted. Milliseconds. */
const LOAD_TIMEOUT_MS = 10_000;

/** Fails at the start for a module with which every job would fail. */
async function checkHandlers(
  modules: Readonly<Record<string, string>>,
  clock: Clock,
  check: (path: string, timeout: AbortSignal) => Promise<string | undefined>,
): Promise<void> {
  if (Object.keys(modules).length === 0) return;
  const timeout = clock.deadline(LOAD_TIMEOUT_MS);
  try {
    await Promise.all(
      Object.entries(modules).map(async ([endpoint, path]) => {
        const problem = await check(path, timeout.signal);
        if (problem === undefined) return;
        throw usage(`endpoint "${endpoint}": ${problem.includes(path) ? '' : `${path}: `}${problem}`, EXPORTS);
      }),
    );
  } finally {
    timeout.cancel();
  }
}

const EXPORTS =
  'A handler module exports a function or an async generator, as default or as `handler`: export default async (input) => ({ ok: true });';

/** Prints each line of a handler module after its endpoint, with unsafe characters replaced. */
const printer =
  ({ stderr }: LocalServerOptions) =>
  (endpoint: string, text: string): void => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/))
      stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
  };

function handlerPath(options: LocalServerOptions, endpoint: string, module: string): string {
  const path = module.startsWith('file:') ? fileURLToPath(module) : absolutePath(options, module);
  if (!existsSync(path)) throw usage(`the handler module of endpoint "${endpoint}" does not exist: ${module}`);
  return path;
}
