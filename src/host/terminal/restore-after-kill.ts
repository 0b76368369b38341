import type { Runtime } from '../runtime/runtime.ts';

/**
 * A script for `sh`. Its standard input is a pipe from berth, its descriptor 3 the terminal, its argument the text to
 * write. When the pipe ends without a line, berth was killed.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT TSTP TTOU
modes=$(stty -g <&3)
echo ready
read -r word && exit
[ "$modes" ] && stty "$modes" <&3
printf %s "$1" >&3
`;

/**
 * Starts a shell that waits until this process ends. Unless the returned function was called by then, it gives the
 * terminal on stdout its present modes back and writes `text` to it: nothing in this process can do that after SIGKILL.
 * The shell has its own session, so that it gets no signals from the terminal. When it cannot be started, nothing is done.
 */
export async function restoreAfterKill(
  { env, platform, childStreams }: Pick<Runtime, 'env' | 'platform' | 'childStreams'>,
  text: string,
): Promise<() => void> {
  if (platform === 'win32' || childStreams === 'ignore') return () => undefined;
  const { spawn } = await import('node:child_process');
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'berth-terminal', text], {
    stdio: ['pipe', 'pipe', 'ignore', 1],
    cwd: '/',
    env: { PATH: env['PATH'] },
    detached: true,
  });
  shell.stdin?.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    shell.once('error', () => {
      resolve();
    });
    shell.stdout?.once('data', resolve).once('end', resolve);
  });
  shell.stdout?.destroy();
  shell.unref();
  return () => {
    shell.stdin?.end('over\n');
  };
}
