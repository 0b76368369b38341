import type { Sink } from '../../core/context.ts';
import { safeText } from '../../core/safe-text.ts';
import { closedPipe, interrupted, localFile, type Failure } from '../../core/failure.ts';
import type { Output } from '../runtime/runtime.ts';

/**
 * Creates the sink for data. A write resolves when the system has taken the bytes, so that none is lost when the process
 * ends, however slow the reader is. Fails with closedPipe (0) when the reader is gone, as after `| head -1`, with terminated
 * (143) when the terminal is, and with local-file (14) for every other error, such as a full disk.
 */
export function dataOutput(output: () => Output): Sink {
  const write = writer(output);
  return {
    write: async (text) => {
      const error = await write(text);
      if (error !== undefined) throw outputFailure(error, output().isTTY === true);
    },
  };
}

/** Creates the sink for the content of files: as `dataOutput`, but of bytes. On a terminal they are text that was made safe. */
export function contentOutput(output: () => Output): { write(bytes: Uint8Array): Promise<void> } {
  const write = writer(output);
  const decoder = new TextDecoder();
  return {
    write: async (bytes) => {
      const isTerminal = output().isTTY === true;
      const error = await write(isTerminal ? safeText(decoder.decode(bytes, { stream: true }), true) : bytes);
      if (error !== undefined) throw outputFailure(error, isTerminal);
    },
  };
}

/** Creates the sink for messages to a person. Errors are ignored: the command continues without its messages. */
export function messageOutput(output: () => Output): Sink {
  const write = writer(output);
  return {
    write: async (text) => {
      await write(text);
    },
  };
}

type WriteError = NodeJS.ErrnoException;

function writer(output: () => Output): (text: string | Uint8Array) => Promise<WriteError | undefined> {
  let opened: Output | undefined;
  let broken: WriteError | undefined;
  const open = (): Output => {
    const stream = output();
    // The stream emits an error in addition to the callback of the write; without a listener it ends the process.
    stream.on('error', (error: WriteError) => {
      broken ??= error;
    });
    return stream;
  };
  return (text) =>
    new Promise((resolve) => {
      if (broken !== undefined || text.length === 0) {
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

/** Error codes of the platforms for a pipe whose reader has closed it. */
const CLOSED_PIPE = ['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE'];

function outputFailure(error: WriteError, isTerminal: boolean): Failure {
  const code = error.code ?? 'unknown error';
  if (CLOSED_PIPE.includes(code)) return closedPipe();
  // The terminal was closed; its signal may come later.
  if (code === 'EIO' && isTerminal) return interrupted('SIGHUP');
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return localFile(
      'cannot write the output: the disk is full',
      'What came before it is incomplete: make room, then run it again.',
      error,
    );
  return localFile(`cannot write the output: ${code}`, 'What came before it is incomplete.', error);
}
