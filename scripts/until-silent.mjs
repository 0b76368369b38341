/** Runs programs to their end, with a limit on their silence: a slow machine may take as long as it needs, what hangs is ended. */
import { spawn } from 'node:child_process';

/** The process groups of the programs that run. */
const running = new Set();

/**
 * Runs a program of Node to its end, or until it has printed nothing for `silenceMs` milliseconds; it is killed then, with all
 * processes that it has started. Returns its exit code, null after a kill, and what it printed on both streams. Never fails.
 */
export async function untilSilent(command, { cwd, env, silenceMs }) {
  // A process group of its own, so that nothing it started goes on.
  const child = spawn(process.execPath, command, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
  running.add(child.pid);
  let output = '';
  let silent = false;
  const timer = setTimeout(() => {
    silent = true;
    endGroup(child.pid);
  }, silenceMs);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      timer.refresh();
    });
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1)).on('close', (status) => resolve(status));
  });
  clearTimeout(timer);
  running.delete(child.pid);
  const minutes = silenceMs / 60_000;
  return { code, output: silent ? `${output}\nstopped: it printed nothing for ${minutes} minutes` : output };
}

/** Ends all programs that still run, with what they have started. */
export const endAll = () => running.forEach(endGroup);

function endGroup(pid) {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
