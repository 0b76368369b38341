import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import type { Credentials } from './credentials.ts';
import { runCredentialProcess, type RunProgram } from './credential-process.ts';
import { profileName, readConfig, readStoredCredentials, variable, type SharedFiles } from './shared-files.ts';

export interface CredentialPorts extends SharedFiles {
  readonly runProgram: RunProgram;
}

export interface FoundCredentials {
  readonly credentials: Credentials;
  readonly source: string;
  /** Reads them again, and fails as `findCredentials` does; undefined where they cannot change while this process runs. */
  readonly readAgain: (() => Promise<Credentials>) | undefined;
}

export const NO_CREDENTIALS = 'no-storage-key';

/** Variables, credentials file, `credential_process`, config file. Fails with denied (3) or local-file (14). */
export async function findCredentials(ports: CredentialPorts): Promise<FoundCredentials> {
  const { env } = ports;
  const given = keysOf((name) => variable(env, name.toUpperCase()));
  if (given !== undefined)
    return { credentials: checked(given), source: 'the variable AWS_ACCESS_KEY_ID', readAgain: undefined };
  return {
    credentials: await readProfile(ports),
    source: `the profile ${JSON.stringify(profileName(env))}`,
    readAgain: () => readProfile(ports),
  };
}

async function readProfile(ports: CredentialPorts): Promise<Credentials> {
  const [stored, config] = await Promise.all([readStoredCredentials(ports), readConfig(ports)]);
  const command = stored.get('credential_process') ?? config.get('credential_process');
  const credentials =
    keysOf((name) => stored.get(name)) ??
    (command === undefined
      ? keysOf((name) => config.get(name))
      : await runCredentialProcess(command, ports.runProgram));
  if (credentials !== undefined) return checked(credentials);
  throw new Failure({
    code: NO_CREDENTIALS,
    exit: EXIT.denied,
    message: 'no credentials for s3:// addresses are configured',
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of the shared credentials file.',
  });
}

function keysOf(read: (name: string) => string | undefined): Credentials | undefined {
  const accessKeyId = read('aws_access_key_id');
  const secretAccessKey = read('aws_secret_access_key');
  return accessKeyId === undefined || secretAccessKey === undefined
    ? undefined
    : { accessKeyId, secretAccessKey, sessionToken: read('aws_session_token') };
}

/** Fails with denied (3) for credentials that no header can carry, and never repeats them. */
function checked(credentials: Credentials): Credentials {
  const { accessKeyId, secretAccessKey, sessionToken = 'none' } = credentials;
  if (
    /^[\x21-\x2b\x2d-\x7e]+$/.test(accessKeyId) &&
    [secretAccessKey, sessionToken].every((text) => /^[\x21-\x7e]+$/.test(text))
  )
    return credentials;
  throw new Failure({
    code: 'bad-storage-key',
    exit: EXIT.denied,
    message: 'the credentials for s3:// addresses hold characters that no credentials have',
    hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the shared credentials file.',
  });
}
