import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import type { Failure } from '../core/failure.ts';

/**
 * What a refusal of a create, a start or a restart of a pod means (additions 3). With `no-capacity`, `not-allowed` and
 * `blocked-by-network` nothing is wrong with the request; every other class is final, `unknown` too: it may have happened.
 */
export type RefusalClass =
  'no-capacity' | 'payment' | 'not-allowed' | 'blocked-by-network' | 'too-large' | 'invalid' | 'unknown';

/** What a class is known by. */
interface RefusalRow {
  readonly class: RefusalClass;
  readonly statuses: readonly number[];
  /** A part of the service's text; any text where absent. */
  readonly text?: RegExp;
}

/** The first row that fits counts. No code of the service marks "no room": only the text does. */
const ROWS: readonly RefusalRow[] = [
  { class: 'not-allowed', statuses: [403] },
  { class: 'payment', statuses: [402] },
  { class: 'payment', statuses: [400], text: /insufficient funds/i },
  { class: 'too-large', statuses: [413] },
  { class: 'invalid', statuses: [400], text: /not found|does not exist/i },
  { class: 'invalid', statuses: [400], text: /template id or pod configuration parameters/i },
  { class: 'invalid', statuses: [400], text: /\b(image|manifest|registry)\b/i },
  { class: 'no-capacity', statuses: [400], text: /no longer any instances available/i },
  { class: 'no-capacity', statuses: [400], text: /instances currently available/i },
  { class: 'no-capacity', statuses: [400], text: /does not have the resources to deploy/i },
  { class: 'no-capacity', statuses: [400], text: /no resources to deploy/i },
  { class: 'no-capacity', statuses: [400], text: /not enough free gpus on the host/i },
  { class: 'invalid', statuses: [400, 401, 404, 409, 422] },
];

/** The class of a refusal; a rate limit, a 5xx and a lost answer are `unknown`. */
export function refusalClass({
  code,
  status,
  title,
  detail,
}: Pick<Failure, 'code' | 'status' | 'title' | 'detail'>): RefusalClass {
  if (code === 'blocked') return 'blocked-by-network';
  const text = detail ?? title ?? '';
  const row = ROWS.find(
    (each) => status !== undefined && each.statuses.includes(status) && (each.text?.test(text) ?? true),
  );
  return row?.class ?? 'unknown';
}

/**
 * What a waiter over several candidates does about a refused create. `next`: another candidate, and this one again later.
 * `leave`: never this candidate again. `later`: the same again after a while, because the service could not answer. `end`: the
 * request is wrong, or cannot be paid.
 */
export type Consequence = 'next' | 'leave' | 'later' | 'end';

const CONSEQUENCES: Readonly<Record<Exclude<RefusalClass, 'unknown'>, Consequence>> = {
  'no-capacity': 'next',
  'not-allowed': 'leave',
  'blocked-by-network': 'later',
  payment: 'end',
  'too-large': 'end',
  invalid: 'end',
};

/** Ends that say nothing about the request: a rate limit, a service that does not answer, an answer that was lost. */
const NO_ANSWER: readonly ExitCode[] = [EXIT.rateLimited, EXIT.unavailable, EXIT.unknown];

/** What is done about the failure of a create. A lost answer has been looked for before. */
export function consequenceOf(failure: Failure): Consequence {
  const found = refusalClass(failure);
  if (found !== 'unknown') return CONSEQUENCES[found];
  return NO_ANSWER.includes(failure.exit) ? 'later' : 'end';
}
