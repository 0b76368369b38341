import { type Address, parseKeyAddress } from '../../core/addresses.ts';
import { usage } from '../../core/failure.ts';
import { findCredentials, type CredentialPorts, type FoundCredentials } from './credentials/find-credentials.ts';
import { readConfig, variable } from './credentials/shared-files.ts';

export interface S3Connection {
  readonly endpoint: Address;
  readonly region: string;
  readonly found: FoundCredentials;
  /** What an address without a host means, where no other attempt is to be made; nothing was sent. */
  readonly absent?: string | undefined;
}

export interface ConnectionSources extends CredentialPorts {
  readonly endpoint: string | undefined;
}

/** Flag, AWS_* variables, shared files. Fails with usage (2), local-file (14), denied (3) without a key. */
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
