import { withoutFullStop } from '../../core/text.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import type { WireAnswer, WireError } from '../../http/transport.ts';
import type { Credentials, S3Connection } from './connection.ts';
import { childText, parseDocument } from '../../core/xml.ts';
import { errorCode } from '../../core/files.ts';

export interface Refusal {
  readonly status: number;
  /** The service asks to try again, whatever its status says. */
  readonly retryable: boolean;
  readonly isDenial: boolean;
  readonly failure: Failure;
}

const RETRYABLE =
  /^(RequestTimeout|SlowDown|ServiceUnavailable|InternalError|OperationAborted|ConditionalRequestConflict|BadDigest|XAmzContentSHA256Mismatch|IncompleteBody)$/;

/** Codes of errors for credentials that were good and are no longer. The first one is also that of a request that came late. */
const EXPIRED =
  /^(RequestExpired|ExpiredToken|ExpiredTokenException|TokenRefreshRequired|InvalidToken|InvalidTokenId|InvalidAccessKeyId|InvalidClientTokenId)$/;

const DENIED: readonly number[] = [401, 403];

const WRONG_CLOCK = 'RequestTimeTooSkewed';

/** Hides the credentials. */
export async function refusal(
  what: string,
  { status }: Pick<WireAnswer, 'status'>,
  body: Uint8Array | undefined,
  credentials: Credentials,
): Promise<Refusal> {
  const error = body === undefined ? undefined : await parseDocument(body, 'Error').catch(() => undefined);
  const [code = '', message = ''] = error === undefined ? [] : [childText(error, 'Code'), childText(error, 'Message')];
  const said = withoutFullStop(hide([code, message].filter((text) => text !== '').join(': '), credentials));
  const { exit, hint } = meaningOf(status, code);
  return {
    status,
    retryable: RETRYABLE.test(code),
    isDenial: code === 'AccessDenied',
    failure: new Failure({
      code: exit === EXIT.notFound ? 'not-found' : exit === EXIT.denied ? 'forbidden' : 'storage',
      exit,
      message: `cannot ${what}: the storage service answered ${String(status)}${said === '' ? '' : ` ${said}`}`,
      hint,
      status,
    }),
  };
}

/** The failure (7) for a request without a readable answer. Repeating it is safe. */
export function lostFailure(what: string, error: WireError, connection: S3Connection): Failure {
  const { host } = new URL(connection.endpoint.origin);
  if (connection.absent !== undefined && hasNoHost(error, connection))
    return new Failure(
      {
        code: 'no-files-interface',
        exit: EXIT.refused,
        message: `cannot ${what}: ${connection.absent} (${host})`,
        hint: 'Nothing was sent. Only some data centers have it; check also storage-url and the name service of this machine.',
      },
      error,
    );
  const message =
    error.stage === 'not-sent'
      ? `could not reach ${host}: ${error.message}`
      : `no readable answer came from ${host}: ${error.message}`;
  return new Failure(
    {
      code: error.certificate ? 'certificate' : 'storage-unavailable',
      exit: EXIT.unavailable,
      message: `cannot ${what}: ${message}`,
      hint: 'Check storage-url and the network. To run it again is safe.',
    },
    error,
  );
}

/** Whether no other attempt would help: no host has an address that was made from the name of a data center. */
export const hasNoHost = (error: WireError, { absent }: S3Connection): boolean =>
  absent !== undefined && errorCode(error.cause) === 'ENOTFOUND';

const MAX_REASON = 300;

/** The failure (7) for an answer that does not say what it must. `reason` may have any length and any characters. */
export const unreadable = (what: string, reason: string): Failure =>
  new Failure({
    code: 'storage-unavailable',
    exit: EXIT.unavailable,
    message: `cannot ${what}: the answer of the storage service is unreadable: ${safeText(reason).slice(0, MAX_REASON)}`,
    hint: 'Check that storage-url is the address of an S3-compatible service.',
  });

/** What a service answers that has no space left: it will not have it soon. */
const NO_SPACE = 507;

/** The status of a refusal as it decides on another attempt: where there is no space, there is none. */
export const finalIfFull = (status: number): number => (status === NO_SPACE ? 400 : status);

function meaningOf(status: number, code: string): { readonly exit: ExitCode; readonly hint: Message } {
  if (code === WRONG_CLOCK)
    return {
      exit: EXIT.denied,
      hint: sentence`The clock of this machine differs from that of the service: ${berth`doctor`}.`,
    };
  if (DENIED.includes(status) || EXPIRED.test(code))
    return {
      exit: EXIT.denied,
      hint: sentence`Check the key (${berth`files login`}, or AWS_ACCESS_KEY_ID) and what it may do.`,
    };
  if (status === NO_SPACE)
    return {
      exit: EXIT.refused,
      hint: 'It is full: remove files there, or make it larger; then run it again. What arrived is not sent again.',
    };
  if (status === 404) return { exit: EXIT.notFound, hint: 'Check the names of the bucket and of the object.' };
  if (status === 429) return { exit: EXIT.rateLimited, hint: 'Try again later.' };
  if (status >= 500) return { exit: EXIT.unavailable, hint: 'Try again later. To run it again is safe.' };
  if (status < 400) return { exit: EXIT.unavailable, hint: 'Redirects are refused. Check storage-url.' };
  return { exit: EXIT.refused, hint: 'Correct what the error names, then run it again.' };
}

function hide(text: string, credentials: Credentials): string {
  const secrets = [credentials.secretAccessKey, credentials.sessionToken, credentials.accessKeyId];
  const hidden = secrets.reduce<string>(
    (shown, secret) => (secret === undefined ? shown : shown.replaceAll(secret, '***')),
    text,
  );
  return safeText(hidden.replace(/\s+/g, ' ').trim()).slice(0, MAX_REASON);
}
