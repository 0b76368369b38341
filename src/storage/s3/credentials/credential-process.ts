import { withoutFullStop } from '../../../core/text.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { isObject } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import { splitWords } from '../../../core/split-words.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { Credentials } from './credentials.ts';

export interface ProgramEnd {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
  readonly error?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without a shell. The words are its name and its arguments. It is ended when it takes too long. */
export type RunProgram = (words: readonly string[]) => Promise<ProgramEnd>;

const MAX_REASON = 500;

/** No shell. Fails with denied (3) and the program's stderr; its stdout is never shown. */
export async function runCredentialProcess(command: string, run: RunProgram): Promise<Credentials> {
  const { code, signal, error, stdout, stderr } = await run(await wordsOf(command));
  const reason = error ?? (signal === undefined ? undefined : `it was ended by ${signal}`);
  if (reason !== undefined || code !== 0) {
    const said = safeText(stderr.replace(/\s+/g, ' ').trim()).slice(-MAX_REASON);
    throw failed(`${reason ?? `it ended with code ${String(code)}`}${said === '' ? '' : `: ${said}`}`);
  }
  const credentials = parseOutput(stdout);
  if (credentials === undefined)
    throw failed('it did not print JSON with Version 1, AccessKeyId and SecretAccessKey (not shown)');
  return credentials;
}

async function wordsOf(command: string): Promise<readonly string[]> {
  const words = await splitWords(command);
  if (words === 'open-quote') throw failed('a quote is not closed in its command line');
  if (words === 'for-a-shell')
    throw failed('its command line has a part for a shell, and no shell is used: quote what is meant as text');
  if ((words[0] ?? '') === '') throw failed('its command line is empty');
  return words;
}

function parseOutput(text: string): Credentials | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { Version, AccessKeyId, SecretAccessKey, SessionToken, Expiration } = value;
  if (Version !== 1 || typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') return undefined;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: typeof SessionToken === 'string' && SessionToken !== '' ? SessionToken : undefined,
    expiresAt: timeOf(Expiration),
  };
}

function timeOf(value: unknown): EpochMs | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

const failed = (reason: string): Failure =>
  new Failure({
    code: 'no-storage-key',
    exit: EXIT.denied,
    message: `the credential_process of the profile failed: ${withoutFullStop(reason)}`,
    hint: 'Run the program that the shared config file names, and correct it.',
  });
