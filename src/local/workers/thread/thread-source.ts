/**
 * The program of a handler's thread. It is a text, so that it needs no file of its own when the program is bundled. Plain
 * CommonJS for Node 20.
 *
 * It receives `{id, endpointId, input}` to run a job, `{load: true}` to load the module only, and `{more: true}` to continue
 * after a chunk. It sends `{chunk}`, `{output}` or `{error}`, the first two as JSON text. After each chunk it waits for
 * `{more: true}`, so that a fast generator does not fill the memory.
 */
export const THREAD_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

// A thread has a copy of the environment of its own.
Object.assign(process.env, workerData.env);

const messageOf = (error) => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : JSON.stringify(error) ?? String(error);
  return error.name === 'Error' && error.message !== '' ? error.message : error.name + ': ' + error.message;
};

// JSON.stringify writes NaN as null, and a Map or a Set as {}: the values would be lost without a word.
const refuseLost = (key, value) => {
  const isLost = typeof value === 'number' ? !Number.isFinite(value) : value instanceof Map || value instanceof Set;
  if (isLost) throw new Error('it has ' + (typeof value === 'number' ? value : 'a ' + value.constructor.name));
  return value;
};

const toJson = (value) => {
  try {
    const text = JSON.stringify(value) ?? 'null';
    if (/null|\\{\\}/.test(text)) JSON.stringify(value, refuseLost);
    return text;
  } catch (error) {
    throw new Error('the output is not JSON: ' + messageOf(error));
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
