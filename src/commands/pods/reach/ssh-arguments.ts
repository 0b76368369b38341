import type { CommandContext } from '../../../cli/model/context.ts';
import type { ReachablePod } from './reach-pod.ts';
import { addressArguments } from './ssh-address.ts';
import { trustOptions } from './host-trust.ts';

/**
 * What the configuration of the user may say of a host, and a program that runs by itself cannot have: a command of its own, and
 * forwards, whose ports two connections cannot share. A connection that has broken without a word ends after 45 s of silence.
 */
const QUIET = ['RemoteCommand=none', 'ClearAllForwardings=yes', 'ServerAliveInterval=15', 'LogLevel=ERROR'];

/** The arguments with which ssh runs something in a pod. Where there is no terminal, ssh asks nothing. */
export async function sshArguments(
  ctx: Pick<CommandContext, 'spawn' | 'terminal'>,
  pod: ReachablePod,
  { line, tty = false }: { readonly line: string; readonly tty?: boolean },
): Promise<readonly string[]> {
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const { output, errors, canAsk } = ctx.terminal;
  const quiet = [...QUIET, ...(output || errors || canAsk ? [] : ['BatchMode=yes'])].flatMap((each) => ['-o', each]);
  return [...trust, ...quiet, tty ? '-t' : '-T', ...addressArguments(pod.address), '--', line];
}
