import type { Address } from '../../core/addresses.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';

/** What a request is signed with. No part is ever shown. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Where requests go and what they are signed with. */
export interface S3Connection {
  readonly endpoint: Address;
  readonly region: string;
  readonly credentials: Credentials;
  /** What an address without a host means, where no other attempt is to be made; nothing was sent. */
  readonly absent?: string | undefined;
}

/**
 * Returns the credentials of the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Fails with denied
 * (3) without them, and for those that no header can carry, which are never repeated.
 */
export function credentialsOf(env: Readonly<Record<string, string | undefined>>): Credentials {
  // An empty one counts as absent.
  const variable = (name: string): string | undefined => (env[name]?.trim() === '' ? undefined : env[name]?.trim());
  const [accessKeyId, secretAccessKey] = [variable('AWS_ACCESS_KEY_ID'), variable('AWS_SECRET_ACCESS_KEY')];
  const sessionToken = variable('AWS_SESSION_TOKEN');
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Failure({
      code: 'no-storage-key',
      exit: EXIT.denied,
      message: 'there is no key of the files on volumes',
      hint: sentence`It is a key of its own kind. Keep it in the profile: ${berth`files login`}. Or set BERTH_STORAGE_ACCESS_KEY and BERTH_STORAGE_SECRET; without both, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are used.`,
    });
  if (
    !/^[\x21-\x2b\x2d-\x7e]+$/.test(accessKeyId) ||
    ![secretAccessKey, sessionToken ?? 'none'].every((text) => /^[\x21-\x7e]+$/.test(text))
  )
    throw new Failure({
      code: 'bad-storage-key',
      exit: EXIT.denied,
      message: 'the key of the files on volumes has characters that no key has',
      hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.',
    });
  return { accessKeyId, secretAccessKey, sessionToken };
}
