import { parseKeyAddress, type Address } from '../../core/addresses/http-address.ts';
import { usage } from '../../core/failure.ts';
import { findCredentials, type CredentialPorts, type FoundCredentials } from './credentials/find-credentials.ts';
import { readConfig, variable } from './credentials/shared-files.ts';

/** Where requests go and what they are signed with. */
export interface S3Connection {
  readonly endpoint: Address;
  readonly region: string;
  readonly found: FoundCredentials;
  /** What an address without a host means, where no other attempt is to be made; nothing was sent. */
  readonly absent?: string | undefined;
}

export interface ConnectionSources extends CredentialPorts {
  /** The value of `--s3-endpoint`. */
  readonly endpoint: string | undefined;
}

/**
 * Finds the endpoint, the region and the credentials: the flag, then the standard AWS_* variables, then the profile
 * AWS_PROFILE in the shared files. Fails with usage (2) without an endpoint, and for plain http to another machine; with
 * denied (3) without credentials; with local-file (14) when a file cannot be read.
 */
export async function findConnection(sources: ConnectionSources): Promise<S3Connection> {
  const { env } = sources;
  const config = await readConfig(sources);
  const endpoint =
    sources.endpoint ??
    variable(env, 'AWS_ENDPOINT_URL_S3') ??
    variable(env, 'AWS_ENDPOINT_URL') ??
    config.get('endpoint_url');
  if (endpoint === undefined)
    throw usage(
      'no endpoint for s3:// addresses is configured',
      'Give the address of the S3-compatible service: --s3-endpoint https://HOST, or AWS_ENDPOINT_URL_S3.',
    );
  return {
    endpoint: parseKeyAddress(endpoint, 'the S3 endpoint'),
    region: variable(env, 'AWS_REGION') ?? variable(env, 'AWS_DEFAULT_REGION') ?? config.get('region') ?? 'us-east-1',
    found: await findCredentials(sources),
  };
}
