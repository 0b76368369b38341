/** Starts programs, collects their output and kills those that exceed their time limit. */
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/**
 * Milliseconds after which a program counts as hanging: longer than the minute for which berth asks again for a job that was
 * submitted and is not found.
 */
export const MAX_RUN_MS = 180_000;
const MAX_OUTPUT_CHARACTERS = 400_000;

/** Running children, which are killed when the campaign exits. */
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts a program. `ended` resolves with its exit code or signal and its output, and with `hung` when it was killed because
 * it exceeded `boundMs`. `boundMs: null` means no limit.
 */
export function start([command, ...args], { cwd, env, boundMs = MAX_RUN_MS }) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      if (said[name].length < MAX_OUTPUT_CHARACTERS) said[name] += text;
    });
  const begunAt = performance.now();
  let hung = false;
  const timer =
    boundMs === null
      ? undefined
      : setTimeout(() => {
          hung = true;
          child.kill('SIGKILL');
        }, boundMs);
  const running = { pid: child.pid, said, begunAt, isOver: false };
  running.ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: undefined, signal: undefined, hung, error: error.message, ...said }));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      children.delete(child);
      running.isOver = true;
      const tookMs = Math.round(performance.now() - begunAt);
      resolve({ code: code ?? undefined, signal: signal ?? undefined, hung, tookMs, ...said });
    });
  });
  running.signal = (name) => !running.isOver && child.kill(name);
  return running;
}

/** Polls `check` until it returns a value and resolves with that, or with undefined when the time is over. */
export async function until(check, boundMs, everyMs = 15) {
  const end = performance.now() + boundMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() >= end) return undefined;
    await sleep(everyMs);
  }
}
