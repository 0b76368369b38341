import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Outcome } from '../../queue/engine/builtin-handlers.ts';
import { THREAD_SOURCE } from './thread-source.ts';

/** A job as a handler is given it; `input` is JSON text. */
export interface HandlerJob {
  readonly id: string;
  readonly endpointId: string;
  readonly input: string;
}

/** A thread that has loaded a handler module of the user's own and runs one job at a time. */
export interface HandlerThread {
  /**
   * Runs a job to its end. `onChunk` is given each chunk's JSON text; the handler goes on when it has resolved. Resolves
   * undefined where the thread was ended meanwhile; what goes wrong in the handler, or in loading it, is an outcome.
   * Rejects only with what `onChunk` rejects with.
   */
  run(job: HandlerJob, onChunk: (text: string) => Promise<void>): Promise<Outcome | undefined>;
  /** Why the module cannot serve: it does not load, or exports no handler. Undefined where it can, or the thread was ended. */
  load(): Promise<string | undefined>;
  /** True once the thread is gone: by `end`, or because the handler took it down. */
  readonly gone: boolean;
  /** Ends the thread for real, whatever it is doing, an endless loop included. */
  end(): Promise<void>;
}

interface Said {
  readonly chunk?: string;
  readonly output?: string;
  readonly error?: string;
}

/** Starts a thread for a module: an absolute path or a `file:` URL. `log` is given what the handler prints. */
export function createHandlerThread(module: string, log: (text: string) => void): HandlerThread {
  const url = module.startsWith('file:') ? module : pathToFileURL(module).href;
  const thread = new Worker(THREAD_SOURCE, {
    eval: true,
    workerData: { url, path: fileURLToPath(url) },
    // Kept apart from this process's own streams: stdout there is data.
    stdout: true,
    stderr: true,
  });
  for (const output of [thread.stdout, thread.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      log(text);
    });

  let state: 'alive' | 'ended' | 'died' = 'alive';
  let finish: ((outcome: Outcome | undefined) => void) | undefined;
  const die = (error: string): void => {
    if (state === 'alive') state = 'died';
    finish?.(state === 'ended' ? undefined : { kind: 'error', error });
  };
  thread.on('error', (error: unknown) => {
    die(`the handler's thread broke down: ${error instanceof Error ? error.message : String(error)}`);
  });
  thread.on('exit', (code) => {
    die(`the handler ended its own thread with exit code ${String(code)}`);
  });

  const ask = (message: HandlerJob | { readonly load: true }, onChunk: (text: string) => Promise<void>) =>
    new Promise<Outcome | undefined>((resolve, reject) => {
      const hear = ({ chunk, output, error }: Said): void => {
        if (chunk !== undefined)
          onChunk(chunk).then(
            () => {
              thread.postMessage({ more: true });
            },
            (trouble: unknown) => {
              thread.off('message', hear);
              reject(trouble instanceof Error ? trouble : new Error(String(trouble)));
            },
          );
        else finish?.(output === undefined ? { kind: 'error', error: error ?? '' } : { kind: 'output', text: output });
      };
      finish = (outcome) => {
        finish = undefined;
        thread.off('message', hear);
        resolve(outcome);
      };
      if (state !== 'alive') finish(undefined);
      else {
        thread.on('message', hear);
        thread.postMessage(message);
      }
    });

  return {
    get gone() {
      return state !== 'alive';
    },
    run: ask,
    load: async () => {
      const outcome = await ask({ load: true }, () => Promise.resolve());
      return outcome?.kind === 'error' ? outcome.error : undefined;
    },
    end: async () => {
      if (state === 'alive') state = 'ended';
      await thread.terminate();
      finish?.(undefined);
    },
  };
}

/**
 * Loads a module in a thread of its own, which ends again, and gives why it cannot serve; undefined where it can, or
 * where that was not known when `patience` aborted. What it prints meanwhile is for the threads that do the work.
 */
export async function troubleOf(module: string, patience: AbortSignal): Promise<string | undefined> {
  const thread = createHandlerThread(module, () => undefined);
  const end = (): void => void thread.end();
  patience.addEventListener('abort', end, { once: true });
  try {
    return await thread.load();
  } finally {
    patience.removeEventListener('abort', end);
    await thread.end();
  }
}
