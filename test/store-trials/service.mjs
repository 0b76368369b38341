/** Starts the service of the trials, and asks it for its counts. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('service-process.mjs', import.meta.url));

/** `items` is the number of items of a batch, `batches` the number of batches with items of their own. */
export async function startService({ items, batches }) {
  const child = fork(PROCESS, [JSON.stringify({ items, batches })]);
  const [{ url }] = await once(child, 'message');
  let turn = Promise.resolve();
  /** One question at a time: the answers have no name. */
  const send = (message) => {
    turn = turn.then(async () => {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    });
    return turn;
  };
  return {
    url,
    /** Changes how it answers; see `state` in the process. `throttleMs` answers 429 for this time. */
    set: (members) => send({ set: members }),
    /** Returns how often each item was accepted: item `n` is at `n`. */
    counts: async () => new Uint8Array(Buffer.from((await send({ ask: 'counts' })).counts, 'base64')),
    sums: async () => (await send({ ask: 'sums' })).sums,
    /** Returns a pair for each accepted submission: its time in milliseconds, and its item. */
    times: async () => (await send({ ask: 'times' })).times,
    stop: () => child.disconnect(),
  };
}
