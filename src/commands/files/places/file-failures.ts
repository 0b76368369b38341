import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';

/** The failure (4) of an address where nothing is. */
export const notThere = (address: string): Failure =>
  new Failure({ code: 'not-found', exit: EXIT.notFound, message: `${address}: there is no such file or folder` });

/** The failure (2) of a folder where files are meant. */
export const isFolderFailure = (address: string, option: string): Failure =>
  usage(`${address} is a folder`, `To take all that is in it, add ${option}.`);
