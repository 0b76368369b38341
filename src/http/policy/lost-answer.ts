import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { WireError, type Stage } from '../wire/transport.ts';
import { checkHint, type RequestFacts } from './problem.ts';

/** The end of an attempt that brought no usable answer. */
export interface LostAnswer {
  readonly kind: 'lost';
  readonly stage: Stage;
  readonly reason: string;
  /** A retry would end the same. */
  readonly final: boolean;
  /** The peer's certificate was rejected. */
  readonly certificate?: boolean;
}

/** The failure for a lost answer: exit 7 when nothing can have changed, 8 when a write may have been carried out. */
export function lostFailure(lost: LostAnswer, request: RequestFacts): Failure {
  const facts = { request: request.name, id: request.id };
  const { host } = new URL(request.name.url);
  if (lost.certificate === true)
    return new Failure({
      ...facts,
      code: 'certificate',
      exit: EXIT.unavailable,
      message: `the certificate of ${host} is not accepted: ${lost.reason}`,
      hint: /expired|not valid yet/.test(lost.reason)
        ? 'Nothing was sent. Check the clock of this machine (berth doctor), or tell whoever runs the service.'
        : 'Nothing was sent. Check the address: berth doctor.',
    });
  if (lost.stage === 'not-sent')
    return new Failure({
      ...facts,
      code: 'unavailable',
      exit: EXIT.unavailable,
      message: `could not reach ${host}: ${lost.reason}`,
      hint: 'Nothing was sent. Check the address and the network: berth doctor.',
    });
  if (request.write)
    return new Failure({
      ...facts,
      code: 'outcome-unknown',
      exit: EXIT.unknown,
      message: `the request was sent to ${host}, and no readable answer came: ${lost.reason}`,
      hint: checkHint(request),
    });
  return new Failure({
    ...facts,
    code: 'unavailable',
    exit: EXIT.unavailable,
    message: `no readable answer came from ${host}: ${lost.reason}`,
    hint: 'Nothing changed. Try again later; berth doctor checks the service.',
  });
}

/** The interrupt's own failure. When it interrupted a write that was already sent, the hint says so. */
export function interruptFailure(reason: unknown, error: unknown, request: RequestFacts): unknown {
  const wasSent = request.write && error instanceof WireError && error.stage !== 'not-sent';
  if (!(reason instanceof Failure) || !wasSent) return reason;
  const hint = [reason.hint, `The request had been sent. ${checkHint(request)}`].filter(Boolean).join('\n');
  return reason.with({ hint, id: reason.id ?? request.id });
}
