import { parseKeyAddress, type Address } from '../../core/address.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { Credentials } from './sign-request.ts';

/** Where requests go and what they are signed with. */
export interface S3Connection {
  readonly endpoint: Address;
  readonly region: string;
  readonly credentials: Credentials;
}

export interface ConnectionSources {
  /** The value of `--s3-endpoint`. */
  readonly endpoint: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory; empty when there is none. */
  readonly home: string;
  /** Returns the text of a file; undefined when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/**
 * Finds the endpoint, the region and the credentials: the flag, then the standard AWS_* variables, then the profile
 * AWS_PROFILE in the shared files. Fails with usage (2) without an endpoint, and for plain http to another machine; with
 * denied (3) without credentials; with local-file (14) when a file cannot be read.
 */
export async function findConnection(sources: ConnectionSources): Promise<S3Connection> {
  const { env } = sources;
  const profile = value(env, 'AWS_PROFILE') ?? 'default';
  const config = await readSection(sources, 'AWS_CONFIG_FILE', 'config', [`profile ${profile}`, profile]);
  const endpoint =
    sources.endpoint ??
    value(env, 'AWS_ENDPOINT_URL_S3') ??
    value(env, 'AWS_ENDPOINT_URL') ??
    config.get('endpoint_url');
  if (endpoint === undefined)
    throw usage(
      'no endpoint for s3:// addresses is configured',
      'Give the address of the S3-compatible service: --s3-endpoint https://HOST, or AWS_ENDPOINT_URL_S3.',
    );
  return {
    endpoint: parseKeyAddress(endpoint, 'the S3 endpoint'),
    region: value(env, 'AWS_REGION') ?? value(env, 'AWS_DEFAULT_REGION') ?? config.get('region') ?? 'us-east-1',
    credentials: checked(credentialsOf(env) ?? (await storedCredentials(sources, profile, config))),
  };
}

type Section = ReadonlyMap<string, string>;

function credentialsOf(env: ConnectionSources['env']): Credentials | undefined {
  const accessKeyId = value(env, 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = value(env, 'AWS_SECRET_ACCESS_KEY');
  return accessKeyId === undefined || secretAccessKey === undefined
    ? undefined
    : { accessKeyId, secretAccessKey, sessionToken: value(env, 'AWS_SESSION_TOKEN') };
}

async function storedCredentials(sources: ConnectionSources, profile: string, config: Section): Promise<Credentials> {
  const stored = await readSection(sources, 'AWS_SHARED_CREDENTIALS_FILE', 'credentials', [profile]);
  const section = stored.has('aws_access_key_id') ? stored : config;
  const accessKeyId = section.get('aws_access_key_id');
  const secretAccessKey = section.get('aws_secret_access_key');
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, sessionToken: section.get('aws_session_token') };
  throw new Failure({
    code: 'no-storage-key',
    exit: EXIT.denied,
    message: 'no credentials for s3:// addresses are configured',
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of the shared credentials file.',
  });
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

/** An empty variable counts as absent. */
const value = (env: ConnectionSources['env'], name: string): string | undefined => {
  const text = env[name]?.trim();
  return text === undefined || text === '' ? undefined : text;
};

/** Reads the first of these sections that a shared file has; empty without the file or the sections. */
async function readSection(
  { env, home, readText }: ConnectionSources,
  variable: string,
  name: string,
  sections: readonly string[],
): Promise<Section> {
  const given = value(env, variable);
  if (given === undefined && home === '') return new Map();
  const text = await readText(given ?? `${home}/.aws/${name}`);
  const all = parseSections(text ?? '');
  return sections.map((section) => all.get(section)).find((section) => section !== undefined) ?? new Map();
}

/**
 * Parses `[section]` and `name = value` lines. A `#` or `;` begins a comment at the start of a line or after white space.
 * Indented lines are settings of settings, and are left out.
 */
export function parseSections(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const content = line.replace(/(^|\s)[#;].*$/, '').trimEnd();
    const header = /^\[([^\]]+)\]$/.exec(content)?.[1];
    const [, name, setting] = /^([^\s=][^=]*?)\s*=\s*(.*)$/.exec(content) ?? [];
    if (header !== undefined) {
      const title = header.trim().replace(/\s+/g, ' ');
      current = sections.get(title) ?? new Map<string, string>();
      sections.set(title, current);
    } else if (name !== undefined && setting !== undefined && setting !== '') current?.set(name.toLowerCase(), setting);
  }
  return sections;
}
