import type { SftpClient } from 'ssh2/lib/protocol/SFTP.js';
import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure, asError } from '../../../../core/failure.ts';
import { berth, sentence } from '../../../../core/message.ts';
import { safeText } from '../../../../core/safe-text.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import type { ReachablePod } from '../reach-pod.ts';
import { sshArguments } from '../ssh-arguments.ts';
import { sshRefusal } from '../ssh-refusal.ts';
import { createByteQueue } from './byte-queue.ts';

/** A session of SFTP with a pod. */
export interface SftpSession {
  /**
   * Makes one request and waits for its answer. `path` is named where it fails: with not-found (4), with refused (5) for what the
   * pod refuses, with unavailable (7) when the connection has ended.
   */
  ask<T>(path: string, request: (client: SftpClient, done: Done<T>) => void): Promise<T>;
  /** The same for a request whose answer is only whether it was done. */
  act(path: string, request: (client: SftpClient, done: (error?: Error | null) => void) => void): Promise<void>;
  /** Whether a file can be renamed in the place of another in one step, and flushed to its disk. */
  readonly has: { readonly replace: boolean; readonly flush: boolean };
  /** Ends the connection. What is not answered fails. */
  close(): Promise<void>;
}

type Done<T> = (error: Error | null | undefined, value?: T) => void;

/** What ssh has said is kept to its last characters. */
const MAX_SAID = 2000;

/** The statuses of SFTP that say more than "failed". */
const [NO_SUCH_FILE, PERMISSION_DENIED] = [2, 3];

/**
 * Opens a session of SFTP with a pod over the ssh of the user. Fails with unavailable (7) where ssh cannot connect or the pod speaks
 * no SFTP, and says what ssh has said.
 */
export async function openSftp(
  ctx: Pick<CommandContext, 'spawn' | 'terminal' | 'signal'>,
  pod: ReachablePod,
): Promise<SftpSession> {
  const { default: library } = await import('ssh2/lib/protocol/SFTP.js');
  const input = createByteQueue();
  const end = () => ({ id: 0, window: Number.POSITIVE_INFINITY, packetSize: 2 ** 30, state: 'open' }) as const;
  const client = new library.SFTP(
    {
      _protocol: {
        channelData: (_channel, bytes) => {
          input.add(bytes);
        },
        channelClose: () => {
          input.end();
        },
      },
    },
    { type: 'sftp', incoming: end(), outgoing: { ...end() } },
    {},
  );
  let said = '';
  let lost: Failure | undefined;
  const decoder = new TextDecoder();
  const program = await ctx.spawn.start('ssh', await sshArguments(ctx, pod, { subsystem: 'sftp' }), {
    input: input.bytes,
    onOutput: (bytes) => {
      client.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
    onError: (bytes) => {
      said = (said + decoder.decode(bytes, { stream: true })).slice(-MAX_SAID);
    },
  });
  const stop = (): void => {
    program.stop();
  };
  ctx.signal.addEventListener('abort', stop, { once: true });
  client.on('error', () => {
    lost ??= notSftp(pod);
    stop();
  });
  const ended = program.ended.then((code) => {
    ctx.signal.removeEventListener('abort', stop);
    lost ??= connectionLost(pod, code, said);
    client.push(null);
  });
  const why = (): Error => (ctx.signal.aborted ? asError(ctx.signal.reason) : (lost ?? notSftp(pod)));
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    void ended.then(() => {
      reject(why());
    });
    client._init();
  });
  const ask = <T>(path: string, request: (client: SftpClient, done: Done<T>) => void): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (lost !== undefined) reject(why());
      else
        request(client, (error, value) => {
          if (error === undefined || error === null) resolve(value as T);
          else reject(lost === undefined ? failureOf(error, pod, path) : why());
        });
    });
  return {
    ask,
    act: async (path, request) => {
      await ask<unknown>(path, request);
    },
    has: {
      replace: client._extensions['posix-rename@openssh.com'] === '1',
      flush: client._extensions['fsync@openssh.com'] === '1',
    },
    close: async () => {
      lost ??= connectionLost(pod, 0, '');
      input.end();
      await ended;
    },
  };
}

/** A file of a pod, as it is shown. */
export const podPath = ({ name }: Pick<ReachablePod, 'name'>, path: string): string => `${name}:${path}`;

/** The failure of a request that the pod has answered. */
function failureOf(error: Error & { readonly code?: unknown }, pod: ReachablePod, path: string): Failure {
  const at = podPath(pod, path);
  if (error.code === NO_SUCH_FILE)
    return new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${at}: there is no such file or folder` });
  if (error.code === PERMISSION_DENIED)
    return new Failure({ code: 'pod-file', exit: EXIT.refused, message: `${at}: permission denied in the pod` });
  return new Failure({
    code: 'pod-file',
    exit: EXIT.refused,
    message: `${at}: the pod refused it (${safeText(error.message)})`,
    hint: sentence`Its disk may be full, or the place not writable: ${berth`pods exec ${pod.id} -- df -h`}`,
  });
}

function connectionLost(pod: ReachablePod, code: number, said: string): Failure {
  const refusal = sshRefusal(pod, said.split('\n'));
  if (refusal !== undefined) return refusal;
  const last = said.trim().split('\n').at(-1)?.trim() ?? '';
  return new Failure({
    code: 'connection-lost',
    exit: EXIT.unavailable,
    message: `the connection to pod ${pod.name} has ended: ${last === '' ? `ssh ended with ${String(code)}` : safeText(last)}`,
    hint: sentence`See what the pod does: ${berth`pods get ${pod.id}`}`,
    id: pod.id,
  });
}

const notSftp = (pod: ReachablePod): Failure =>
  new Failure({
    code: 'not-sftp',
    exit: EXIT.unavailable,
    message: `what pod ${pod.name} answers is not SFTP`,
    hint: sentence`A shell that prints text when it starts is one cause: ${berth`pods exec ${pod.id} -- true`} should print nothing.`,
    id: pod.id,
  });
