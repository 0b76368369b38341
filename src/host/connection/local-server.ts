import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { LocalAddress, LocalServeOptions, LocalServer } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import {
  createLocalService,
  fileStore,
  LOCAL_KEY,
  LOCAL_STORAGE_KEY,
  memoryStore,
  SECRET_PREFIX,
  serveLocal,
  START_OVER,
} from '../../local/index.ts';
import { absolutePath } from '../files/user-files.ts';
import { createFileLocks, realTurns } from '../lock/file-locks.ts';
import { createStartContainer } from '../pods/ssh-server.ts';
import { createStartProcess } from '../process/start-process.ts';
import { checkSources, endpointSource, type Sources, workerLog } from '../workers/endpoint-sources.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Workers print to stderr, because stdout is for data. */
export type LocalRuntime = Pick<
  Runtime,
  'clock' | 'random' | 'cwd' | 'env' | 'platform' | 'stderr' | 'workerRunner' | 'holdProgram' | 'user'
>;

export async function startLocalServer(
  runtime: LocalRuntime,
  options: LocalServeOptions,
  ownDirectories: () => readonly string[],
): Promise<LocalServer> {
  const { port, stateFile, endpoints, python = 'python3', workerPrefix, reload = false, ...settings } = options;
  const { clock, random } = runtime;
  const runner = runtime.workerRunner();
  const sources: Sources = Object.fromEntries(
    Object.entries(endpoints).map(([name, text]) => [
      name,
      endpointSource(name, text, { cwd: runtime.cwd, python, runner }),
    ]),
  );
  runtime.holdProgram();
  const startProcess = createStartProcess(runtime);
  await checkSources(sources, clock, startProcess);
  const statePath = stateFile === undefined ? undefined : absolutePath(runtime, stateFile);
  const store = statePath === undefined ? undefined : fileStore(statePath, createFileLocks({ clock }), realTurns);
  await store?.check().catch(async (error: unknown) => {
    // A refused file's folder keeps nothing, such as its lock.
    await store.close();
    if (!(error instanceof Failure) || error.hint !== START_OVER) throw error;
    // `local reset` is for the state of --local, and would empty that: the --state file is the user's own.
    throw error.with({ hint: 'Name another file: --state. Or remove this one if nothing else needs it.' });
  });
  const service = createLocalService({
    ...settings,
    clock,
    random,
    store: store ?? memoryStore(),
    volumesFolder: statePath === undefined ? undefined : `${statePath}.volumes`,
    handlers: sources,
    startProcess,
    startContainer: createStartContainer(runtime),
    podsFolder: statePath === undefined ? undefined : `${statePath}.pods`,
    workerPrefix,
    workerRunner: runner,
    log: workerLog(runtime.stderr),
    onWebhookRefused: (job, reason) => {
      runtime.stderr.write(`The webhook of job ${safeText(job)} is not sent: ${safeText(reason)}\n`);
    },
  });
  const served = await serveLocal(service, { port, host: '127.0.0.1' });
  service.start(served.port);
  let endWatch: (() => void) | undefined;
  if (reload) {
    const { watchSources } = await import('../workers/watch-files.ts');
    const folders = ownDirectories().map((each) => (existsSync(each) ? realpathSync(each) : each) + sep);
    const own = [...(statePath === undefined ? [] : [statePath]), ...folders];
    endWatch = watchSources(runtime.stderr, sources, own, service);
  }
  return {
    ...servedAt(served.url, options.secretPrefix),
    stop: async () => {
      endWatch?.();
      // First: workers that end may still send their results.
      await service.stop();
      await served.stop();
    },
  };
}

export const servedAt = (url: string, secretPrefix = SECRET_PREFIX): LocalAddress => ({
  url,
  secretPrefix,
  key: LOCAL_KEY,
  storageKey: LOCAL_STORAGE_KEY,
});
