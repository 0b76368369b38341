import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure, type FailureFacts } from '../core/failure.ts';
import { arrayOf, encodeJson, objectOf, stringOf, tryDecodeJson } from '../core/json.ts';
import { berth, type CommandLine, lines, type Message, sentence } from '../core/message.ts';
import { safeText } from '../core/safe-text.ts';
import type { Milliseconds, Seconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; empty when there was none or it broke off, because the status is enough. */
  readonly text: string;
}

export interface RequestFacts {
  readonly name: NonNullable<FailureFacts['request']>;
  /** It may change something, so that a lost answer leaves the outcome unknown. */
  readonly write: boolean;
  readonly repeatable: boolean;
  readonly id: string | undefined;
  readonly checkCommand: CommandLine | undefined;
}

/** By status (specification 7.2). Only here is a refusal taken for one of a network in front (`blocked`). */
export function refusalFailure(
  refusal: Refusal,
  request: RequestFacts,
  retryAfterMs?: Milliseconds,
  keyVariable?: string,
): Failure {
  const { status, headers, text } = refusal;
  const problem = readProblem(text, headers['content-type'] ?? '');
  const {
    code,
    exit,
    hint,
    message = `the service answered ${String(status)}${titleOf(problem.title)}`,
  } = status === 403 && problem.isForeign ? blocked() : meaningOf(status, request, headers, retryAfterMs);
  const isOfKey = keyVariable !== undefined && exit === EXIT.denied;
  const words = problem.detail ?? problem.title;
  return new Failure({
    code,
    exit,
    message: `${message}${words === undefined || words === problem.title ? '' : `: ${safeText(words)}`}`,
    hint: isOfKey ? variableHint(status, keyVariable) : hint,
    status,
    title: problem.title,
    detail: problem.detail,
    errors: problem.errors,
    retryAfter: retryAfterMs === undefined ? undefined : wholeSeconds(retryAfterMs),
    request: request.name,
    id: request.id,
  });
}

/** The hint for a key that a variable gave: a login would change nothing. */
const variableHint = (status: number, variable: string): Message =>
  sentence`${status === 401 ? 'The key was not accepted' : 'The key is valid but may not do this'}. It comes from ${variable}, which goes before the key of a profile: correct this variable, or unset it. See which key is used: ${berth`auth status`}`;

/** The hint of exit 8: the write may have been carried out, and the command that shows whether it was. */
export const checkHint = (request: RequestFacts): Message =>
  request.checkCommand === undefined
    ? 'It may have happened. Look at the present state before trying again.'
    : sentence`It may have happened. Before trying again, find out: ${request.checkCommand}`;

interface ProblemText {
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly errors: readonly string[] | undefined;
  /** The body is text that is not JSON: a page, or a line of a proxy. */
  readonly isForeign: boolean;
}

interface StatusMeaning {
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: Message | undefined;
  readonly message?: string;
}

function meaningOf(
  status: number,
  request: RequestFacts,
  headers: Readonly<Record<string, string>>,
  retryAfterMs: Milliseconds | undefined,
): StatusMeaning {
  // A 101 was never asked for: the service took the request, and what it did is not known.
  const isUnknown = status < 200 || status >= 500;
  if (!isUnknown && status < 400) return redirect(status, request, headers['location']);
  if (isUnknown)
    return request.write ? { code: 'outcome-unknown', exit: EXIT.unknown, hint: checkHint(request) } : LATER;
  if (status === 429) {
    const when = retryAfterMs === undefined ? 'later' : `in ${formatDuration(retryAfterMs)}`;
    const hint = sentence`Try again ${when}. What is left of each window: ${berth`limits`}.`;
    return { code: 'rate-limited', exit: EXIT.rateLimited, hint };
  }
  const hint = request.write
    ? 'Nothing changed. Correct what the error names; --dry-run shows the request, and reads only.'
    : 'Correct what the error names, then run this again.';
  const stateHint =
    status === 409 && request.checkCommand !== undefined
      ? sentence`Its present state does not allow that. See ${request.checkCommand}`
      : hint;
  return { code: 'refused', exit: EXIT.refused, hint: stateHint, ...meanings()[status] };
}

const LATER: StatusMeaning = { code: 'unavailable', exit: EXIT.unavailable, hint: 'Nothing changed. Try again later.' };

/** A 403 body that the service cannot have written comes from a network in front of it (additions 3). */
const blocked = (): StatusMeaning => ({
  code: 'blocked',
  exit: EXIT.unavailable,
  message: 'a network in front of the service refused the request (403)',
  hint: sentence`Nothing was sent on to the service, and neither the key nor the request is wrong. Try from another network, or look at the proxy: ${berth`doctor`}`,
});

/** The statuses below 500 that mean something of their own; of those without a code, the request was refused. */
const meanings = (): Readonly<Record<number, Partial<StatusMeaning>>> => ({
  401: {
    code: 'unauthorized',
    exit: EXIT.denied,
    hint: sentence`The key was not accepted. See which one is used: ${berth`auth status`}. Log in with another: ${berth`auth login`}.`,
  },
  402: { hint: 'The balance is too low. Add credit to the account, then run this again.' },
  403: {
    code: 'forbidden',
    exit: EXIT.denied,
    hint: sentence`The key is valid but may not do this. Use one with more permissions: ${berth`auth login`}.`,
  },
  404: {
    code: 'not-found',
    exit: EXIT.notFound,
    hint: sentence`Check the id, and that the right account is in use: ${berth`auth status`}.`,
  },
  407: {
    code: 'proxy',
    exit: EXIT.unavailable,
    hint: 'Nothing was sent to the service. Put the user name and password of the proxy into HTTPS_PROXY or HTTP_PROXY (http://USER:PASSWORD@HOST:PORT), or name the host in NO_PROXY.',
  },
  408: LATER,
  410: { code: 'gone', exit: EXIT.notFound, hint: 'It was here once and is gone for good.' },
  413: { hint: 'The request is larger than the service takes: send less at once.' },
});

/** Redirects are never followed: the key and the body are sent only to configured addresses. */
function redirect(status: number, request: RequestFacts, location: string | undefined): StatusMeaning {
  const target = location === undefined ? '' : ` It points to ${safeText(withoutSecrets(location))}.`;
  const hint = sentence`Redirects are refused, so that no key goes astray.${target} If that is right, give it in the flag or variable that gave this address, or keep it in the profile: ${berth`config set`}.`;
  // 302 and 303 may answer a write that was carried out; other redirects say that it was not.
  return request.write && (status === 302 || status === 303)
    ? { code: 'redirected', exit: EXIT.unknown, hint: lines(checkHint(request), hint) }
    : { code: 'redirected', exit: EXIT.unavailable, hint };
}

/** A location without user info, query and fragment, which may contain secrets. */
function withoutSecrets(location: string): string {
  const bare = location.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, '$1//');
  return bare.slice(0, 200);
}

function readProblem(text: string, contentType: string): ProblemText {
  const nothing: ProblemText = { title: undefined, detail: undefined, errors: undefined, isForeign: false };
  if (text.trim() === '') return nothing;
  const value = tryDecodeJson(text);
  const object = objectOf(value);
  if (object !== undefined) {
    const error = objectOf(object['error']);
    const detail = [object['detail'], object['error'], error?.['message'], object['message']]
      .map(stringOf)
      .find(isFilled);
    const errors = arrayOf(object['errors'])?.map((item) => stringOf(item) ?? encodeJson(item));
    return { ...nothing, title: stringOf(object['title']), detail, errors };
  }
  const title =
    /html/i.test(contentType) || /^\s*<(!doctype|html|head|body)/i.test(text) ? titleOfPage(text) : undefined;
  return { ...nothing, isForeign: value === undefined, detail: shortLine(title ?? stringOf(value) ?? text) };
}

const titleOfPage = (page: string): string => /<title[^>]*>([^<]{1,500})<\/title>/i.exec(page)?.[1] ?? '';

const isFilled = (text: string | undefined): boolean => text !== undefined && text !== '';

function shortLine(text: string): string | undefined {
  const line = safeText(text.slice(0, 2000).replace(/\s+/g, ' ').trim());
  return line === '' ? undefined : line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

const titleOf = (title: string | undefined): string => (title === undefined ? '' : ` ${shortLine(title) ?? ''}`);

/** A wait in seconds, rounded up. JSON has no infinity: a wait that is longer than any number is the greatest integer. */
const wholeSeconds = (milliseconds: Milliseconds): Seconds =>
  Math.min(Math.ceil(milliseconds / 1000), Number.MAX_SAFE_INTEGER);
