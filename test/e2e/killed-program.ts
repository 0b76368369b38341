import { spawn, type ChildProcess } from 'node:child_process';
import { remoteService, type Fault, type RemoteService } from '../support/servers/remote-service.ts';
import { berthPath, cleanEnvironment } from './support.ts';

/** Where a program is killed: at its nth request, from 0, before the service does what is asked, or after it. */
export interface Kill {
  readonly at: number;
  readonly after: boolean;
}

/** How a run of the program ended. */
export interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly signal: string | null;
}

/** The installed program and a service that kills it once, with SIGKILL. */
export interface KilledProgram {
  readonly remote: RemoteService;
  /** Runs a command, always on the same machine; one at a time. */
  readonly run: (argv: readonly string[]) => Promise<Ended>;
  /** How many requests were sent by now. */
  readonly requests: () => number;
}

/** To be called inside a test. Without `kill`, nothing is killed. */
export async function killedProgram(kill?: Kill): Promise<KilledProgram> {
  let child: ChildProcess | undefined;
  let requests = 0;
  const remote = await remoteService(({ method, url, body }): Fault | undefined => {
    if (requests++ !== kill?.at || child === undefined) return undefined;
    return {
      first: async () => {
        if (kill.after) await remote.send(method, url, body.length === 0 ? undefined : body.toString());
        child?.kill('SIGKILL');
        await new Promise(() => undefined);
      },
    };
  });
  const env = await cleanEnvironment(remote.env);
  return {
    remote,
    requests: () => requests,
    run: async (argv) => {
      const started = spawn(berthPath(), argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      const [out, err]: [string[], string[]] = [[], []];
      started.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
      started.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
      const ended = await new Promise<Pick<Ended, 'code' | 'signal'>>((resolve) =>
        started.on('close', (code, signal) => {
          resolve({ code, signal });
        }),
      );
      child = undefined;
      return { out: out.join('').trim(), err: err.join(''), ...ended };
    },
  };
}

/** Does something for each item, so many at once. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
    }),
  );
}
