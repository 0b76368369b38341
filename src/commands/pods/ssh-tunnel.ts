/** One ssh that forwards ports, until it ends. */
import type { CommandContext } from '../../cli/model/context.ts';
import { addressArguments, type ReachablePod, sshOptions, trustOptions } from './ssh-command.ts';

export interface Forward {
  /** `to-pod`: programs here reach a port of the pod. `from-pod`: the reverse. */
  readonly direction: 'to-pod' | 'from-pod';
  /** 0 for any free port on the listening side. */
  readonly local: number;
  readonly remote: number;
}

interface Tunnel {
  /** True once every port is open; false if ssh ended before. */
  readonly ready: Promise<boolean>;
  /** What ssh printed, once it has ended. */
  readonly ended: Promise<readonly string[]>;
  stop(): void;
}

interface TunnelOptions {
  readonly pod: ReachablePod;
  /** Local ports are never 0. */
  readonly forwards: readonly Forward[];
  readonly address: string;
  readonly onRemotePort: (local: number, remote: number) => void;
  readonly onRefused: (reason: string) => void;
}

const [KEPT_LINES, LONGEST_LINE] = [20, 2000];

const DETAILS = /^(debug\d: |Authenticated to |Transferred: |Bytes per second: |Warning: Permanently added |\s*$)/;

/** Only at DEBUG1 does `ssh -N` say when the ports are open. A silent connection ends after 30 s. */
const OPTIONS = [
  'LogLevel=DEBUG1',
  'ExitOnForwardFailure=yes',
  'ServerAliveInterval=10',
  'ServerAliveCountMax=3',
  'ConnectTimeout=20',
];

/** Usage (2) if ssh is missing. */
export async function openTunnel(
  ctx: CommandContext,
  { pod, forwards, address, onRemotePort, onRefused }: TunnelOptions,
): Promise<Tunnel> {
  const said: string[] = [];
  let isListening = false;
  let closed = forwards.filter(({ direction }) => direction === 'from-pod').length;
  let settle: (isReady: boolean) => void = () => undefined;
  const ready = new Promise<boolean>((resolve) => (settle = resolve));
  const onLine = (line: string): void => {
    const [, remote, local] = /^Allocated port (\d+) for remote forward to localhost:(\d+)/.exec(line) ?? [];
    if (remote !== undefined) onRemotePort(Number(local), Number(remote));
    if (remote !== undefined || /^debug1: remote forward success for: listen (?!0,)/.test(line)) closed -= 1;
    else if (line.startsWith('debug1: Entering interactive session')) isListening = true;
    else if (line.includes('open failed: ')) onRefused(line.replace(/^.*open failed: /, ''));
    else if (!DETAILS.test(line)) said.push(line);
    if (said.length > KEPT_LINES) said.shift();
    if (isListening && closed <= 0) settle(true);
  };
  const host = address.includes(':') ? `[${address}]` : address;
  const ports = forwards.flatMap(({ direction, local, remote }) =>
    direction === 'to-pod'
      ? ['-L', `${host}:${String(local)}:localhost:${String(remote)}`]
      : ['-R', `${String(remote)}:localhost:${String(local)}`],
  );
  const trust = trustOptions(pod, await ctx.spawn.knownHosts());
  const args = [...trust, ...sshOptions(OPTIONS), '-N', ...ports, ...addressArguments(pod.address)];
  const program = await ctx.spawn.start('ssh', args, { onOutput: () => undefined, onError: linesOf(onLine) });
  return {
    ready,
    ended: program.ended.then(() => {
      settle(false);
      return said;
    }),
    stop: () => {
      program.stop();
    },
  };
}

function linesOf(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const found = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = (found.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of found) onLine(line.slice(0, LONGEST_LINE));
  };
}
