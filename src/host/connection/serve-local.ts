import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock, LocalHost } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { absolutePath } from '../files/absolute-path.ts';

/** The parts of the runtime that a served local service uses. */
export interface LocalRuntime {
  readonly clock: Clock;
  readonly random: () => number;
  readonly cwd: string;
  /** Receives what handler modules print, because stdout is for data. */
  readonly stderr: Writable;
  /** See `Runtime.holdProgram`. */
  holdProgram(): void;
}

/**
 * Creates the port that serves local services on 127.0.0.1. Paths of files and handler modules are relative to the working
 * directory. Fails with usage (2) when the port is in use, or a handler module does not exist, does not load or exports no
 * handler.
 */
export function createLocalHost(runtime: LocalRuntime): LocalHost {
  const { clock, random } = runtime;
  return {
    serve: async ({ port, stateFile, handlers, ...settings }) => {
      const modules = Object.fromEntries(
        Object.entries(handlers).map(([name, module]) => [name, handlerPath(runtime, name, module)]),
      );
      runtime.holdProgram();
      const { checkHandlerModule, createLocalService, fileStore, LOCAL_KEY, memoryStore, serveLocal } =
        await import('../../local/index.ts');
      const { createFileLocks } = await import('../lock/file-locks.ts');
      await checkHandlers(modules, clock, checkHandlerModule);
      const store =
        stateFile === undefined
          ? memoryStore()
          : fileStore(absolutePath(runtime, stateFile), createFileLocks({ clock }));
      const log = handlerLog(runtime);
      const service = createLocalService({
        ...settings,
        clock,
        random,
        store,
        handlers: Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, { kind: 'module', path }])),
        log,
        onWebhookRefused: (job, reason) => {
          runtime.stderr.write(`The webhook of job ${safeText(job)} is not sent: ${safeText(reason)}\n`);
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

/**
 * How long handler modules are checked, in milliseconds. A module that takes longer, for example because it loads a model,
 * is accepted unchecked.
 */
const CHECK_TIMEOUT_MS = 10_000;

/** Loads each handler module, so that a broken one fails now and not with every job. */
async function checkHandlers(
  modules: Readonly<Record<string, string>>,
  clock: Clock,
  check: (path: string, timeout: AbortSignal) => Promise<string | undefined>,
): Promise<void> {
  if (Object.keys(modules).length === 0) return;
  const timeout = clock.deadline(CHECK_TIMEOUT_MS);
  try {
    await Promise.all(
      Object.entries(modules).map(async ([endpoint, path]) => {
        const problem = await check(path, timeout.signal);
        if (problem === undefined) return;
        throw usage(`endpoint "${endpoint}": ${problem.includes(path) ? '' : `${path}: `}${problem}`, EXPORT_HINT);
      }),
    );
  } finally {
    timeout.cancel();
  }
}

const EXPORT_HINT =
  'A handler module exports a function or an async generator, as default or as `handler`: export default async (input) => ({ ok: true });';

/** Prints each line of a handler module with its endpoint before it, made safe for a terminal. */
const handlerLog =
  ({ stderr }: LocalRuntime) =>
  (endpoint: string, text: string): void => {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/))
      stderr.write(`[${safeText(endpoint)}] ${safeText(line, true)}\n`);
  };

function handlerPath(runtime: LocalRuntime, endpoint: string, module: string): string {
  const path = module.startsWith('file:') ? fileURLToPath(module) : absolutePath(runtime, module);
  if (!existsSync(path)) throw usage(`the handler module of endpoint "${endpoint}" does not exist: ${module}`);
  return path;
}
