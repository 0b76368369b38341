import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Outcome } from '../queue/job-output.ts';
import type { HandlerJob, HandlerSource, HandlerStart, HandlerWorker } from './handlers.ts';
import { createPrintedStreams } from './printed-lines.ts';

/**
 * The program of a handler's thread, as text because the program is bundled. It receives `{id, endpointId, input}` to run a
 * job, `{load: true}` to load the module only, and `{more: true}` to go on after a chunk, so that a fast generator does not
 * fill the memory. It sends `{chunk}`, `{output}` or `{error}`, the first two as JSON text.
 */
const THREAD_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

// A thread has a copy of the environment of its own.
Object.assign(process.env, workerData.env);

const messageOf = (error) => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : JSON.stringify(error) ?? String(error);
  return error.name === 'Error' && error.message !== '' ? error.message : error.name + ': ' + error.message;
};

// What JSON.stringify leaves out or writes as something else, without a word. A member that is undefined is as an absent one.
function refuseLost(key, value) {
  const original = this[key];
  const tag = Object.prototype.toString.call(original).slice(8, -1);
  // Objects of JavaScript itself keep what they are in no member: they become {}.
  const isEmptied = () => !PLAIN.includes(tag) && (tag === 'Error' || Object.keys(value).length === 0);
  const isLost =
    typeof value === 'number' ? !Number.isFinite(value)
    : value === undefined ? Array.isArray(this)
    : value === null ? original !== null
    : typeof value === 'object' ? ArrayBuffer.isView(original) || (value === original && isEmptied())
    : ['bigint', 'function', 'symbol'].includes(typeof value);
  if (isLost) throw new Error('it has ' + (typeof value === 'number' ? value : 'a value of type ' + tag));
  return value;
}
const PLAIN = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Arguments'];

const toJson = (value) => {
  try {
    return JSON.stringify(value, refuseLost) ?? 'null';
  } catch (error) {
    const isCyclic = error instanceof TypeError && error.message.includes('circular');
    throw new Error('the output is not JSON: ' + (isCyclic ? 'it has an object that contains itself' : messageOf(error)));
  }
};

const load = async () => {
  let module;
  try {
    module = await import(workerData.url);
  } catch (error) {
    throw new Error('cannot load the handler module ' + workerData.path + ': ' + messageOf(error));
  }
  const found = [module.default, module.handler, module.default?.handler].find((part) => typeof part === 'function');
  if (found === undefined)
    throw new Error('the handler module ' + workerData.path + ' exports no function, neither as default nor as handler');
  return found;
};

const nextMessage = () => new Promise((resolve) => parentPort.once('message', resolve));

const runJob = async (handler, job) => {
  const result = await handler(JSON.parse(job.input), { id: job.id, endpointId: job.endpointId });
  if (typeof result?.next !== 'function') return toJson(result);
  const chunks = [];
  const iterable = Symbol.asyncIterator in result || Symbol.iterator in result ? result : { [Symbol.asyncIterator]: () => result };
  for await (const chunk of iterable) {
    const text = toJson(chunk);
    chunks.push(text);
    parentPort.postMessage({ chunk: text });
    await nextMessage();
  }
  return '[' + chunks.join(',') + ']';
};

const main = async () => {
  const loaded = load();
  loaded.catch(() => {});
  for (;;) {
    const job = await nextMessage();
    try {
      const handler = await loaded;
      parentPort.postMessage({ output: job.load ? 'null' : await runJob(handler, job) });
    } catch (error) {
      parentPort.postMessage({ error: messageOf(error) });
    }
  }
};
main();
`;

/** See `THREAD_SOURCE`. */
type ThreadMessage = Readonly<Partial<Record<'chunk' | 'output' | 'error', string>>>;

export type ModuleSource = Pick<Extract<HandlerSource, { kind: 'module' }>, 'path'>;

export function startHandlerThread(
  { path }: ModuleSource,
  monotonic: () => number,
  { env, onLine }: HandlerStart,
): HandlerWorker & { load(): Promise<string | undefined> } {
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

/** The reason when it cannot be used; undefined when it can or `timeout` aborts. Its output is ignored. */
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
