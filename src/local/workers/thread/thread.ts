import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Outcome } from '../../queue/jobs/builtin-handlers.ts';
import { createPrintedStreams } from '../handlers/printed-lines.ts';
import type { HandlerJob, HandlerSource, HandlerStart, HandlerWorker } from '../handlers/handler-worker.ts';
import { THREAD_SOURCE } from './thread-source.ts';

/** A thread with a handler module; it runs one job at a time. */
interface HandlerThread extends HandlerWorker {
  /** Loads the module. Resolves with the reason when it cannot be used; undefined when it can, or the thread was stopped. */
  load(): Promise<string | undefined>;
}

/** A message from a thread: see `THREAD_SOURCE`. */
interface ThreadMessage {
  readonly chunk?: string;
  readonly output?: string;
  readonly error?: string;
}

/** An absolute path or a `file:` URL. */
export type ModuleSource = Pick<Extract<HandlerSource, { kind: 'module' }>, 'path'>;

/** Starts a thread for a handler module, as `StartHandlerWorker` says. */
export function startHandlerThread(
  { path }: ModuleSource,
  monotonic: () => number,
  { env, onLine }: HandlerStart,
): HandlerThread {
  const url = path.startsWith('file:') ? path : pathToFileURL(path).href;
  const thread = new Worker(THREAD_SOURCE, {
    eval: true,
    workerData: { url, path: fileURLToPath(url), env },
    // Not this process's own streams: stdout is for data.
    stdout: true,
    stderr: true,
  });
  const printed = createPrintedStreams(monotonic, onLine);
  thread.stdout.setEncoding('utf8').on('data', printed.stdout).on('end', printed.end);
  thread.stderr.setEncoding('utf8').on('data', printed.stderr).on('end', printed.end);

  let state: 'running' | 'stopped' | 'crashed' = 'running';
  let finish: ((outcome: Outcome | undefined) => void) | undefined;
  const onEnd = (error: string): void => {
    if (state === 'running') state = 'crashed';
    finish?.(state === 'stopped' ? undefined : { kind: 'error', error });
  };
  thread.on('error', (error: unknown) => {
    onEnd(`the handler's thread broke down: ${error instanceof Error ? error.message : String(error)}`);
  });
  thread.on('exit', (code) => {
    onEnd(`the handler ended its own thread with exit code ${String(code)}`);
  });

  const send = (message: HandlerJob | { readonly load: true }, onChunk: (text: string) => Promise<void>) =>
    new Promise<Outcome | undefined>((resolve, reject) => {
      const onMessage = ({ chunk, output, error }: ThreadMessage): void => {
        if (chunk !== undefined)
          onChunk(chunk).then(
            () => {
              thread.postMessage({ more: true });
            },
            (failure: unknown) => {
              thread.off('message', onMessage);
              reject(failure instanceof Error ? failure : new Error(String(failure)));
            },
          );
        else finish?.(output === undefined ? { kind: 'error', error: error ?? '' } : { kind: 'output', text: output });
      };
      finish = (outcome) => {
        finish = undefined;
        thread.off('message', onMessage);
        resolve(outcome);
      };
      if (state !== 'running') finish(undefined);
      else {
        thread.on('message', onMessage);
        thread.postMessage(message);
      }
    });

  return {
    get stopped() {
      return state !== 'running';
    },
    run: send,
    load: async () => {
      const outcome = await send({ load: true }, () => Promise.resolve());
      return outcome?.kind === 'error' ? outcome.error : undefined;
    },
    stop: async () => {
      if (state === 'running') state = 'stopped';
      await thread.terminate();
      finish?.(undefined);
    },
  };
}

/**
 * Loads a handler module in a temporary thread. Resolves with the reason when it cannot be used; undefined when it can, or
 * when `timeout` was aborted first. What it prints is ignored.
 */
export async function checkHandlerModule(path: string, timeout: AbortSignal): Promise<string | undefined> {
  const thread = startHandlerThread({ path }, () => 0, { env: {}, onLine: () => undefined });
  const stop = (): void => void thread.stop();
  timeout.addEventListener('abort', stop, { once: true });
  try {
    return await thread.load();
  } finally {
    timeout.removeEventListener('abort', stop);
    await thread.stop();
  }
}
