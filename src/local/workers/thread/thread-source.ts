/**
 * What runs inside a handler's thread. It is text, so that it is the same whether the program runs from its sources or
 * bundled into one file: there is no second file to find. Plain CommonJS for Node 20.
 *
 * In: `{id, endpointId, input}` starts a job, `{load: true}` only waits for the module, `{more: true}` asks for the next
 * chunk. Out: `{chunk}`, `{output}` or `{error}`, the first two as JSON text. A chunk waits until it is asked for, so
 * that a fast generator fills no memory.
 */
export const THREAD_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

const said = (error) => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : JSON.stringify(error) ?? String(error);
  return error.name === 'Error' && error.message !== '' ? error.message : error.name + ': ' + error.message;
};

const toJson = (value) => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    throw new Error('what the handler gave is not JSON: ' + said(error));
  }
};

const load = async () => {
  let module;
  try {
    module = await import(workerData.url);
  } catch (error) {
    throw new Error('cannot load the handler module ' + workerData.path + ': ' + said(error));
  }
  const found = [module.default, module.handler, module.default?.handler].find((part) => typeof part === 'function');
  if (found === undefined)
    throw new Error('the handler module ' + workerData.path + ' exports no function, neither as default nor as handler');
  return found;
};

const asked = () => new Promise((resolve) => parentPort.once('message', resolve));

const perform = async (handler, job) => {
  const result = await handler(JSON.parse(job.input), { id: job.id, endpointId: job.endpointId });
  if (typeof result?.next !== 'function') return toJson(result);
  const chunks = [];
  const iterable = Symbol.asyncIterator in result || Symbol.iterator in result ? result : { [Symbol.asyncIterator]: () => result };
  for await (const chunk of iterable) {
    const text = toJson(chunk);
    chunks.push(text);
    parentPort.postMessage({ chunk: text });
    await asked();
  }
  return '[' + chunks.join(',') + ']';
};

const main = async () => {
  const loaded = load();
  loaded.catch(() => {});
  for (;;) {
    const job = await asked();
    try {
      const handler = await loaded;
      parentPort.postMessage({ output: job.load ? 'null' : await perform(handler, job) });
    } catch (error) {
      parentPort.postMessage({ error: said(error) });
    }
  }
};
main();
`;
