import { Failure, usage } from '../failure.ts';
import { parseKeyAddress, type Address } from './http-address.ts';

/** What stands for the data center of a volume in the address of its files. */
export const DATA_CENTER = '{data-center}';

/** Stands in its place while an address is checked: a name that an address may have in any part. */
const ANY_DATA_CENTER = 'data-center-of-the-volume';

/**
 * Checks the address of the files on volumes, which may have `{data-center}` in it. `what` names the setting in messages. Fails
 * with usage (2) as `parseKeyAddress` does, and for another placeholder.
 */
export function checkStorageAddress(text: string, what: string): void {
  try {
    storageAddressAt(text, ANY_DATA_CENTER, what);
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.hint !== 'string') throw error;
    throw error.with({ hint: error.hint.replaceAll(ANY_DATA_CENTER, DATA_CENTER) });
  }
}

/** Returns the address of the files in a data center. Fails as `checkStorageAddress` does. */
export function storageAddressAt(text: string, dataCenter: string, what: string): Address {
  const [other] = /\{[^{}]*\}?|\}/.exec(text.replaceAll(DATA_CENTER, '')) ?? [];
  if (other !== undefined)
    throw usage(
      `${what} cannot be used: it holds ${JSON.stringify(other)}`,
      `The only placeholder is ${DATA_CENTER}, which stands for the data center of the volume.`,
    );
  return parseKeyAddress(text.trim().replaceAll(DATA_CENTER, dataCenter), what);
}
