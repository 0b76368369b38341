import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import type { Message } from '../../../core/message.ts';

/** The failure (4) of an address where nothing is. */
export const notThere = (address: string): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${address}: there is no such file or folder` });

/** The failure (2) of a folder where a file is meant, and `hint` says what to do. */
export const isFolderFailure = (
  address: string,
  hint: Message = 'To take all that is in it, add --recursive.',
): Failure => usage(`${address} is a folder`, hint);
