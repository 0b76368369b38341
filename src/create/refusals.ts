import type { Failure } from '../core/failure.ts';

/** Additions 3. Only `no-capacity`, `not-allowed` and `blocked-by-network` are not final; `unknown` is. */
export type RefusalClass =
  | 'no-capacity'
  | 'payment'
  | 'not-allowed'
  | 'blocked-by-network'
  | 'too-large'
  | 'invalid'
  | 'unknown';

interface RefusalRow {
  readonly class: RefusalClass;
  readonly statuses: readonly number[];
  readonly text?: RegExp;
}

/** The first match counts. "No room" has no code, only a text. */
const ROWS: readonly RefusalRow[] = [
  { class: 'not-allowed', statuses: [403] },
  { class: 'payment', statuses: [402] },
  { class: 'payment', statuses: [400], text: /insufficient funds/i },
  { class: 'too-large', statuses: [413] },
  { class: 'invalid', statuses: [400], text: /not found|does not exist/i },
  { class: 'invalid', statuses: [400], text: /template id or pod configuration parameters/i },
  { class: 'invalid', statuses: [400], text: /\b(image|manifest|registry)\b/i },
  {
    class: 'no-capacity',
    statuses: [400],
    text: /no longer any instances available|instances currently available|resources to deploy|not enough free gpus on the host|insufficient capacity|no available machine|out of stock/i,
  },
  { class: 'invalid', statuses: [400, 401, 404, 409, 422] },
];

/** Rate limits, 5xx and lost answers are `unknown`. */
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
