/** Starts a server with fixed answers in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('fixed-server.mjs', import.meta.url));

/** `kind` is `waiting` or `done`, the status of every job, or `spread`: each runs for 0.5 to 3 s. `ask` returns what was counted since the last call. */
export async function startFixed(kind) {
  const child = fork(program, [kind]);
  const next = () => once(child, 'message').then(([message]) => message);
  const { url } = await next();
  const ask = () => {
    child.send('count');
    return next();
  };
  return { url, ask, stop: () => child.disconnect() };
}
