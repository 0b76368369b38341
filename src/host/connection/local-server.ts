import { fstatSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock, LocalServeOptions, LocalServer } from '../../core/context.ts';
import { Failure, usage } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import {
  checkHandlerModule,
  checkState,
  createLocalService,
  fileStore,
  LOCAL_KEY,
  LOCAL_STORAGE_KEY,
  memoryStore,
  SECRET_PREFIX,
  serveLocal,
  START_OVER,
  type EndpointSource,
  type LocalService,
  type StartProcess,
} from '../../local/index.ts';
import { absolutePath } from '../files/user-files.ts';
import { createFileLocks, realTurns } from '../lock/file-locks.ts';
import { createStartContainer } from '../pods/ssh-server.ts';
import { createStartProcess } from '../process/start-process.ts';
import { endpointSource, workerLog } from '../workers/endpoint-sources.ts';
import type { FileNumbers } from '../workers/watch-files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Workers print to stderr, because stdout is for data. */
export type LocalRuntime = Pick<
  Runtime,
  'clock' | 'random' | 'cwd' | 'env' | 'platform' | 'stderr' | 'workerRunner' | 'holdProgram' | 'user'
>;

type Sources = Readonly<Record<string, EndpointSource>>;

export async function startLocalServer(
  runtime: LocalRuntime,
  options: LocalServeOptions,
  ownDirectories: readonly string[],
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
  if (store !== undefined)
    await checkState(store).catch(async (error: unknown) => {
      // A refused file's folder keeps nothing, such as its lock.
      await store.close();
      throw withStateFileHint(error);
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
  const own = [...(statePath === undefined ? [] : [statePath]), ...ownDirectories.map((each) => realPath(each) + sep)];
  const endWatch = reload ? await watchSources(runtime, sources, own, service) : undefined;
  return {
    url: served.url,
    key: LOCAL_KEY,
    storageKey: LOCAL_STORAGE_KEY,
    secretPrefix: options.secretPrefix ?? SECRET_PREFIX,
    stop: async () => {
      await endWatch?.();
      // First: workers that end may still send their results.
      await service.stop();
      await served.stop();
    },
  };
}

/** `local reset` is for the state of --local, and would empty that: the --state file is the user's own. */
const withStateFileHint = (error: unknown): unknown =>
  error instanceof Failure && error.hint === START_OVER
    ? error.with({ hint: 'Name another file: --state. Or remove this one if nothing else needs it.' })
    : error;

/** A slower module, for example one that loads a model, is accepted unchecked. */
const CHECK_TIMEOUT_MS: Milliseconds = 10_000;

/** A broken one fails now and not with every job. */
async function checkSources(sources: Sources, clock: Clock, startProcess: StartProcess): Promise<void> {
  await Promise.all(
    Object.entries(sources).map(async ([endpoint, source]) => {
      if (source.kind === 'module') await checkModule(endpoint, source.path, clock);
      else if (source.kind === 'command' && typeof source.command !== 'string') {
        const { checkPythonFile } = await import('../workers/check-python-file.ts');
        await checkPythonFile(endpoint, source.command, source.cwd, startProcess, clock);
      }
    }),
  );
}

async function checkModule(endpoint: string, path: string, clock: Clock): Promise<void> {
  const timeout = clock.deadline(CHECK_TIMEOUT_MS);
  try {
    const problem = await checkHandlerModule(path, timeout.signal);
    if (problem === undefined) return;
    throw usage(`endpoint "${endpoint}": ${problem.includes(path) ? '' : `${path}: `}${problem}`, EXPORT_HINT);
  } finally {
    timeout.cancel();
  }
}

const EXPORT_HINT =
  'A handler module exports a function or an async generator, as default or as `handler`: export default async (input) => ({ ok: true });';

/** For changes beside the handler, or in the directory of the command. */
async function watchSources(
  { clock, stderr }: LocalRuntime,
  sources: Sources,
  ownFiles: readonly string[],
  service: LocalService,
): Promise<() => Promise<void>> {
  const { watchFiles } = await import('../workers/watch-files.ts');
  const byDirectory = new Map<string, string[]>();
  for (const [name, source] of Object.entries(sources)) {
    const directory = watchedDirectory(source);
    if (directory !== undefined) byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), name]);
  }
  const shared = { clock, ownFiles, isOwnOutput: isOutputOfThisProcess(), limit: MAX_WATCHED_FILES };
  const ends = [...byDirectory].map(([directory, endpoints]) =>
    watchFiles(directory, {
      ...shared,
      onChange: (file) => {
        for (const endpoint of endpoints)
          stderr.write(
            `[${safeText(endpoint)}] ${safeText(file)} has changed: the workers are replaced, each after the jobs that it has.\n`,
          );
        // The next request fails with the same file error, and its caller is told.
        void service.reload(endpoints).catch(() => undefined);
      },
      onUnwatched: (reason) => {
        stderr.write(
          `Not every file in ${safeText(directory)} is watched: ${safeText(reason)}. Lines in .gitignore exclude what does not matter, or put the handler into a directory of its own.\n`,
        );
      },
    }),
  );
  const all = await Promise.all(ends);
  return async () => {
    await Promise.all(all.map((end) => end()));
  };
}

/** Per handler: a project of source files, not a home directory or a complete disk. */
const MAX_WATCHED_FILES = 5000;

/** stdout and stderr may be redirected to files, which change with everything that is printed. */
function isOutputOfThisProcess(): (file: FileNumbers) => boolean {
  const outputs = [1, 2].flatMap((descriptor) => {
    try {
      return [fstatSync(descriptor)];
    } catch {
      return [];
    }
  });
  return ({ dev, ino }) => outputs.some((output) => output.dev === dev && output.ino === ino);
}

/** Undefined when there is nothing to watch. */
function watchedDirectory(source: EndpointSource): string | undefined {
  switch (source.kind) {
    case 'module':
      return dirname(realpathSync(source.path.startsWith('file:') ? fileURLToPath(source.path) : source.path));
    case 'command':
      return typeof source.command === 'string'
        ? realpathSync(source.cwd)
        : dirname(realpathSync(source.command.at(-1) ?? source.cwd));
    case 'exec':
      return realpathSync(source.cwd);
    case 'attach':
      return undefined;
  }
}

/** Unchanged if nothing is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
