import { connect } from 'node:net';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { errorReason } from '../../core/files/file-errors.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** See `Spawn.connect`. */
export async function connectStreams(
  { stdin, stdout }: Pick<Runtime, 'stdin' | 'stdout'>,
  host: string,
  port: number,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setNoDelay(true);
    socket.once('error', (error) => {
      reject(
        new Failure({
          code: 'network',
          exit: EXIT.unavailable,
          message: `could not connect to ${host} port ${String(port)}: ${errorReason(error)}`,
          hint: 'The pod may have just stopped, or moved to another port.',
        }),
      );
    });
    socket.once('connect', () => {
      stdin.pipe(socket);
      socket.pipe(stdout, { end: false });
    });
    const onClosed = (): void => {
      socket.destroy();
    };
    stdout.once('error', onClosed);
    socket.once('close', () => {
      stdout.off('error', onClosed);
      socket.unpipe(stdout);
      stdin.unpipe(socket);
      stdin.pause();
      resolve();
    });
  });
}
