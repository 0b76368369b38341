import type { Sink } from '../../core/context.ts';
import { closedPipe, localFile, type Failure } from '../../core/failure.ts';
import type { Output } from '../runtime.ts';

/**
 * Data's way out. A write resolves when the system has taken the bytes, so that a process that ends after it has lost
 * none, however slow the reader. Fails with closedPipe (0) when the reader is gone, as after `| head -1`, and with
 * local-file (14) for everything else, such as a full disk.
 */
export function dataOutput(output: () => Output): Sink {
  const write = writer(output);
  return {
    write: async (text) => {
      const error = await write(text);
      if (error !== undefined) throw outputFailure(error);
    },
  };
}

/** The way of what is said to a person. Nobody left to hear it is no reason to stop. */
export function messageOutput(output: () => Output): Sink {
  const write = writer(output);
  return {
    write: async (text) => {
      await write(text);
    },
  };
}

type WriteError = NodeJS.ErrnoException;

function writer(output: () => Output): (text: string) => Promise<WriteError | undefined> {
  let opened: Output | undefined;
  let broken: WriteError | undefined;
  const open = (): Output => {
    const stream = output();
    // An error arrives here as well as at the write it belongs to; unheard, it would end the process.
    stream.on('error', (error: WriteError) => {
      broken ??= error;
    });
    return stream;
  };
  return (text) =>
    new Promise((resolve) => {
      if (broken !== undefined || text === '') {
        resolve(broken);
        return;
      }
      opened ??= open();
      opened.write(text, (error) => {
        if (error) broken ??= error;
        resolve(broken);
      });
    });
}

/** What each system says when the reading end of a pipe is closed. */
const CLOSED = ['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE'];

function outputFailure(error: WriteError): Failure {
  const code = error.code ?? 'unknown error';
  if (CLOSED.includes(code)) return closedPipe();
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return localFile(
      'cannot write the output: the disk is full',
      'What came before it is incomplete: make room, then run it again.',
      error,
    );
  return localFile(`cannot write the output: ${code}`, 'What came before it is incomplete.', error);
}
