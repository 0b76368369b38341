import type { Json } from '../../core/json.ts';
import type { Seconds } from '../../core/unit-types.ts';

type Headers = Readonly<Record<string, string>>;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** A refused request. It is answered as problem+json (specification 7.1), or in the format of the queue API. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Headers;
  readonly #errors: readonly string[] | undefined;
  constructor(status: number, detail: string, headers: Headers = {}, errors?: readonly string[]) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.#errors = errors;
  }

  get document(): Json {
    const { status, message: detail } = this;
    return { title: TITLES[status] ?? 'Server Error', status, detail, errors: this.#errors };
  }
}

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

export const badRequest = (detail: string): Problem => new Problem(400, detail);

export const unauthorized = (detail: string): Problem => new Problem(401, detail, { 'WWW-Authenticate': 'Bearer' });

export const forbidden = (): Problem => new Problem(403, 'access denied');

/** Specification 7.2: `pod not found` for a pod, `resource not found` for anything else. */
export const notFound = (detail = 'resource not found'): Problem => new Problem(404, detail);

export const conflict = (detail: string): Problem => new Problem(409, detail);

export const tooLarge = (detail: string): Problem => new Problem(413, detail);

export const unprocessable = (errors: readonly string[]): Problem =>
  new Problem(422, 'the request does not fit the schema', {}, errors);

export const tooManyRequests = (detail: string, retryAfter: Seconds, headers: Headers = {}): Problem =>
  new Problem(429, detail, { 'retry-after': String(retryAfter), ...headers });

export const injected = (status: number): Problem => new Problem(status, 'an injected fault answered this');
