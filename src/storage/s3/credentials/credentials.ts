import type { EpochMs } from '../../../core/unit-types.ts';

/** What a request is signed with. No part is ever shown. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiresAt?: EpochMs | undefined;
}
