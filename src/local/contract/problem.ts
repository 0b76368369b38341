import type { Json } from '../../core/json.ts';

/** A refused request. It is answered as problem+json (specification 7.1), or in the format of the queue API. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly title: string;
  readonly errors: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    title: string,
    detail: string,
    errors?: readonly string[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = errors;
    this.headers = headers;
  }
}

export const badRequest = (detail: string): Problem => new Problem(400, 'Bad Request', detail);

/** Clients know these refusals by their text only (additions 3). */
export const NO_ROOM = {
  /** Nothing of it is free anywhere. */
  none: 'there are no longer any instances available with the requested specifications',
  /** Nothing is free where the request allows it. */
  nowhere: 'there are no instances currently available with the requested specifications',
  /** Some is free, and not enough for this request. */
  tooLittle: 'this machine does not have the resources to deploy your pod',
  /** No machine is as large as the filters of the request. */
  tooSmall: 'no resources to deploy this pod were found',
  host: 'there are not enough free GPUs on the host machine to start this pod',
} as const;

/** Runs work whose Problems are answered with 400: for requests for which the contract names no 404. */
export function asBadRequest<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Problem ? badRequest(error.message) : error;
  }
}

export const unauthorized = (detail: string): Problem =>
  new Problem(401, 'Unauthorized', detail, undefined, { 'WWW-Authenticate': 'Bearer' });

export const lowBalance = (): Problem => new Problem(402, 'Payment Required', 'the account balance is too low');

export const forbidden = (): Problem => new Problem(403, 'Forbidden', 'access denied');

/** Specification 7.2: `pod not found` for a pod, `resource not found` for anything else. */
export const notFound = (detail = 'resource not found'): Problem => new Problem(404, 'Not Found', detail);

export const notAllowed = (allowed: readonly string[]): Problem =>
  new Problem(405, 'Method Not Allowed', `this path answers ${allowed.join(', ')}`, undefined, {
    Allow: allowed.join(', '),
  });

export const conflict = (detail: string): Problem => new Problem(409, 'Conflict', detail);

export const tooLarge = (detail: string, headers: Readonly<Record<string, string>> = {}): Problem =>
  new Problem(413, 'Content Too Large', detail, undefined, headers);

export const unprocessable = (errors: readonly string[]): Problem =>
  new Problem(422, 'Unprocessable Entity', 'the request does not fit the schema', errors);

export const serverError = (status: number): Problem =>
  new Problem(
    status,
    { 410: 'Gone', 503: 'Service Unavailable' }[status] ?? 'Server Error',
    'an injected fault answered this',
  );

export const problemDocument = (problem: Problem): Json => ({
  title: problem.title,
  status: problem.status,
  detail: problem.message,
  errors: problem.errors,
});

/** The body of a refusal by the queue API (contract rules, Queue API). */
export const queueErrorDocument = (problem: Problem): Json => ({ error: problem.message });
