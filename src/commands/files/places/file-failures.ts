import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import type { ResolvedPath } from '../../../core/ports/files.ts';
import type { Message } from '../../../core/message.ts';

/** The failure (4) of an address where nothing is. */
export const notThere = (address: string): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${address}: there is no such file or folder` });

/** The failure of a local path that is no file and no folder: nothing is there (4), or a pipe or a device (2). */
export const notCopyable = (path: string, { kind }: Pick<ResolvedPath, 'kind'>): Failure =>
  kind === 'other'
    ? usage(`${path} is neither a file nor a folder`, 'From a pipe: files cp - VOLUME:PATH.')
    : notThere(path);

/** The failure (2) of a folder where a file is meant, and `hint` says what to do. */
export const isFolderFailure = (
  address: string,
  hint: Message = 'To take all that is in it, add --recursive.',
): Failure => usage(`${address} is a folder`, hint);
