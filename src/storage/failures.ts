import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { berth, type Message, sentence } from '../core/message.ts';
import { safeText } from '../core/safe-text.ts';
import { childText, parseDocument } from '../core/xml.ts';
import type { AttemptEnd } from '../http/retry.ts';
import type { WireError } from '../http/transport.ts';
import type { Credentials, S3Connection } from './sign.ts';

/** Why one attempt did not give an answer. */
export interface FailedAttempt {
  readonly kind: 'failed';
  readonly end: AttemptEnd;
  readonly failure: Failure;
  /** The last attempt that makes sense, from 1. */
  readonly most?: number;
}

/** Codes that come with 400 and 409, and pass. */
const RETRYABLE =
  /^(RequestTimeout|OperationAborted|ConditionalRequestConflict|BadDigest|XAmzContentSHA256Mismatch|IncompleteBody)$/;

/** Codes that come with 400, for a key that is no longer valid. */
const EXPIRED = /^(RequestExpired|ExpiredToken|InvalidToken|InvalidAccessKeyId|TokenRefreshRequired)/;

/** No space is left, and soon there will not be. */
const NO_SPACE = 507;

const MAX_REASON = 300;

/** What answers is no storage. One more try: it may be a proxy that passes. */
export function pageAttempt(what: string, body: Uint8Array | undefined, connection: S3Connection) {
  if (!/^\s*<(!doctype html|html)/i.test(Buffer.from(body ?? []).toString('latin1', 0, 100))) return undefined;
  const message = `cannot ${what}: ${connection.endpoint.origin} answers with a web page, not as S3 storage`;
  const hint = `Check the address (${connection.from.address}).`;
  const failure = new Failure({ code: 'not-storage', exit: EXIT.unavailable, message, hint });
  const end = { kind: 'lost', stage: 'answered', final: false } as const;
  return { kind: 'failed', end, failure, most: 2 } satisfies FailedAttempt;
}

/** Hides the credentials. `body` is undefined where it broke off. */
export async function refusedAttempt(
  what: string,
  status: number,
  body: Uint8Array | undefined,
  connection: S3Connection,
  retryAfterMs: number | undefined,
): Promise<FailedAttempt> {
  // A gateway between answers 502 with a page, and passes.
  const page = status < 500 ? pageAttempt(what, body, connection) : undefined;
  if (page !== undefined) return page;
  const error = body === undefined ? undefined : await parseDocument(body, 'Error').catch(() => undefined);
  const [code = '', message = ''] = error === undefined ? [] : [childText(error, 'Code'), childText(error, 'Message')];
  const text = [code, message].filter(Boolean).join(': ');
  const said = hide(text, connection.credentials).replace(/[.\s]+$/, '');
  const [exit, hint] = meaningOf(status, code, connection);
  const failure = new Failure({
    code: exit === EXIT.notFound ? 'not-found' : exit === EXIT.denied ? 'forbidden' : 'storage',
    exit,
    hint,
    status,
    message: `cannot ${what}: the storage service answered ${String(status)}${said === '' ? '' : ` ${said}`}`,
  });
  // Now and then the service denies what is allowed.
  const isDenied = exit === EXIT.denied;
  const as = isDenied || RETRYABLE.test(code) ? 503 : status === NO_SPACE ? 400 : status;
  return { kind: 'failed', end: { kind: 'status', status: as, retryAfterMs }, failure, ...(isDenied && { most: 2 }) };
}

/** The failure (7) for a request without a readable answer. Repeating it is safe. */
export function lostAttempt(what: string, error: WireError, { endpoint, from }: S3Connection): FailedAttempt {
  const { stage, certificate, final } = error;
  const how = stage === 'not-sent' ? 'could not reach' : 'no readable answer came from';
  const failure = new Failure(
    {
      code: certificate ? 'certificate' : 'storage-unavailable',
      exit: EXIT.unavailable,
      message: `cannot ${what}: ${how} ${new URL(endpoint.origin).host}: ${error.message}`,
      hint: `Check the network and the address (${from.address}). To run it again is safe.`,
    },
    error,
  );
  return { kind: 'failed', end: { kind: 'lost', stage, final }, failure };
}

/** The failure (7) for an answer that does not say what it must. `reason` may have any length and any characters. */
export const unreadable = (what: string, reason: string): Failure =>
  new Failure({
    code: 'storage-unavailable',
    exit: EXIT.unavailable,
    message: `cannot ${what}: the answer of the storage service is unreadable: ${safeText(reason).slice(0, MAX_REASON)}`,
    hint: 'Check that storage-url is the address of an S3-compatible service.',
  });

function meaningOf(status: number, code: string, { from }: S3Connection): readonly [exit: ExitCode, hint: Message] {
  if (status === 401 || status === 403 || EXPIRED.test(code))
    return [
      EXIT.denied,
      sentence`Check the storage key (${from.key}), its permissions and the clock of this machine: ${berth`doctor`}.`,
    ];
  if (status === NO_SPACE)
    return [EXIT.refused, 'The volume is full: remove files or make it larger, then run it again.'];
  if (status === 404) return [EXIT.notFound, 'Check the names of the bucket and of the object.'];
  if (status === 429) return [EXIT.rateLimited, 'Try again later.'];
  if (status >= 500) return [EXIT.unavailable, 'Try again later. To run it again is safe.'];
  if (status < 400) return [EXIT.unavailable, `Redirects are refused. Check the address (${from.address}).`];
  return [EXIT.refused, 'Correct what the error names, then run it again.'];
}

function hide(text: string, { secretAccessKey, sessionToken, accessKeyId }: Credentials): string {
  let shown = text;
  for (const secret of [secretAccessKey, sessionToken, accessKeyId])
    if (secret !== undefined) shown = shown.replaceAll(secret, '***');
  return safeText(shown.replace(/\s+/g, ' ').trim()).slice(0, MAX_REASON);
}
