import type { CommandContext } from '../../cli/model/context.ts';
import type { ReachablePod } from './reach/reach-pod.ts';
import { addressArguments } from './reach/ssh-address.ts';
import { trustOptions } from './reach/host-trust.ts';

/** A port of this machine and a port of a pod that are joined. */
export interface Forward {
  /** `to-pod`: programs here reach a port of the pod. `from-pod`: programs of the pod reach a port here. */
  readonly direction: 'to-pod' | 'from-pod';
  /** 0 for any free port, on the side that listens. */
  readonly local: number;
  readonly remote: number;
}

/** One connection of ssh that joins ports. */
export interface Tunnel {
  /** True when every port is open; false when ssh ended before. */
  readonly ready: Promise<boolean>;
  /** What ssh said, when it has ended. */
  readonly ended: Promise<readonly string[]>;
  stop(): void;
}

export interface TunnelOptions {
  readonly pod: ReachablePod;
  /** A local port is not 0. */
  readonly forwards: readonly Forward[];
  /** Where this machine listens. */
  readonly address: string;
  /** The pod chose a port for a forward whose remote port is 0. */
  readonly onRemotePort: (local: number, remote: number) => void;
  /** The other side did not take a connection, with the reason. */
  readonly onRefused: (reason: string) => void;
}

/** Lines of ssh that are kept, and the characters of one. */
const [KEPT_LINES, LONGEST_LINE] = [20, 2000];

/** What ssh says besides at the level DEBUG1. */
const DETAILS = /^(debug\d: |Authenticated to |Transferred: |Bytes per second: |Warning: Permanently added |\s*$)/;

/**
 * Starts `ssh -N`. Only at its level DEBUG1 it says when the ports are open: "Entering interactive session." when it listens,
 * and a line for each port that the pod has opened. Fails with usage (2) where there is no ssh.
 */
export async function openTunnel(ctx: CommandContext, options: TunnelOptions): Promise<Tunnel> {
  const { forwards, onRemotePort, onRefused } = options;
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
  const program = await ctx.spawn.start('ssh', await argumentsOf(ctx, options), {
    onOutput: () => undefined,
    onError: linesOf(onLine),
  });
  const ended = program.ended.then(() => {
    settle(false);
    return said;
  });
  return {
    ready,
    ended,
    stop: () => {
      program.stop();
    },
  };
}

/** A connection that carries nothing any more is given up after this time. Seconds. */
const [ALIVE_INTERVAL, ALIVE_COUNT, CONNECT_TIMEOUT] = [10, 3, 20];

async function argumentsOf(ctx: CommandContext, { pod, forwards, address }: TunnelOptions): Promise<readonly string[]> {
  const host = address.includes(':') ? `[${address}]` : address;
  return [
    ...trustOptions(pod, await ctx.spawn.knownHosts()),
    ...[
      'LogLevel=DEBUG1',
      'ExitOnForwardFailure=yes',
      `ServerAliveInterval=${String(ALIVE_INTERVAL)}`,
      `ServerAliveCountMax=${String(ALIVE_COUNT)}`,
      `ConnectTimeout=${String(CONNECT_TIMEOUT)}`,
    ].flatMap((option) => ['-o', option]),
    '-N',
    ...forwards.flatMap(({ direction, local, remote }) =>
      direction === 'to-pod'
        ? ['-L', `${host}:${String(local)}:localhost:${String(remote)}`]
        : ['-R', `${String(remote)}:localhost:${String(local)}`],
    ),
    ...addressArguments(pod.address),
  ];
}

/** Splits bytes into lines. */
function linesOf(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (bytes) => {
    const found = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = (found.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of found) onLine(line.slice(0, LONGEST_LINE));
  };
}
