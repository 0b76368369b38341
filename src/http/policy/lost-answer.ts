import { berth, lines, type Message, sentence } from '../../core/message.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { WireError, type Stage } from '../message/transport.ts';
import { checkHint, type RequestFacts } from './problem.ts';

/** The end of an attempt that brought no usable answer. */
export interface LostAnswer {
  readonly kind: 'lost';
  readonly stage: Stage;
  readonly reason: string;
  /** A retry would end the same. */
  readonly final: boolean;
  /** The answer came complete and cannot be used. */
  readonly unreadable?: boolean;
  /** The peer's certificate was rejected. */
  readonly certificate?: boolean;
  /** Nothing is at the address: see `WireError.absent`. */
  readonly absent?: boolean;
}

/** The failure for a lost answer: exit 7 when nothing can have changed, 8 when a write may have been carried out. */
export function lostFailure(lost: LostAnswer, request: RequestFacts): Failure {
  const { host } = new URL(request.name.url);
  const failure = (code: string, exit: ExitCode, message: string, hint: Message): Failure =>
    new Failure({ code, exit, message: `${message}: ${lost.reason}`, hint, request: request.name, id: request.id });
  if (lost.certificate === true)
    return failure(
      'certificate',
      EXIT.unavailable,
      `the certificate of ${host} is not accepted`,
      /expired|not valid yet/.test(lost.reason)
        ? sentence`Nothing was sent. Check the clock of this machine (${berth`doctor`}), or tell whoever runs the service.`
        : sentence`Nothing was sent. Check the address: ${berth`doctor`}.`,
    );
  if (lost.stage === 'not-sent')
    return failure(
      'unavailable',
      EXIT.unavailable,
      `could not reach ${host}`,
      sentence`Nothing was sent. Check the address and the network: ${berth`doctor`}.`,
    );
  if (request.write)
    return failure(
      'outcome-unknown',
      EXIT.unknown,
      `the request was sent to ${host}, and no readable answer came`,
      checkHint(request),
    );
  return failure(
    lost.unreadable === true ? 'unreadable' : 'unavailable',
    EXIT.unavailable,
    `no readable answer came from ${host}`,
    sentence`Nothing changed. Try again later. Check the service: ${berth`doctor`}.`,
  );
}

/** The interrupt's own failure. When it interrupted a write that was already sent, the hint says so. */
export function interruptFailure(reason: unknown, error: unknown, request: RequestFacts): unknown {
  const wasSent = request.write && error instanceof WireError && error.stage !== 'not-sent';
  if (!(reason instanceof Failure) || !wasSent) return reason;
  const hint = lines(reason.hint, sentence`The request had been sent. ${checkHint(request)}`);
  return reason.with({ hint, id: reason.id ?? request.id });
}
