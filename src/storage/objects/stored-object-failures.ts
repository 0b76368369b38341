import { type Failure, localFile } from '../../core/failure.ts';

/** The failure (14) for an object that is not what it was, or is missing. */
export const changedObject = (address: string): Failure =>
  localFile(
    `${address} was changed or removed after it was checked`,
    'Nothing of the changed content was used. Restore it, or begin again with the content that it has now.',
  );

/** The failure (14) for an object that has another content than the one that was just written. */
export const notAsWritten = (address: string): Failure =>
  localFile(
    `${address} is not what was written: another program changed it, or it was damaged on the way`,
    'Nothing else may write there. Run it again.',
  );
