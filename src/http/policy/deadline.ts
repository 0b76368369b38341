import type { Clock } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { formatDuration } from '../../core/units.ts';
import { findOutHint, type Asked } from './problem.ts';
import { WireError, type Stage } from '../wire/transport.ts';

/** A try that ended without an answer that can be used. `final`: trying again would end the same. */
export interface Lost {
  readonly kind: 'lost';
  readonly stage: Stage;
  readonly reason: string;
  readonly final: boolean;
  /** The certificate of the other side was refused. */
  readonly certificate?: boolean;
}

/** One exchange while it lasts: ended by its deadline or by the user, whichever comes first. */
export interface Session {
  readonly signal: AbortSignal;
  /** Lifts the deadline: what follows may take as long as it takes. */
  calm(): void;
  /** Lets go of clock and signal, and of an answer that was not read to its end. Every session is ended. */
  end(): void;
  /** What an error means for the request. Throws the interrupt, or what is not of the wire. */
  lostBy(error: unknown): Lost;
}

/** Begins an exchange of at most `deadlineMs`, which the user's `interrupt` (its reason a Failure) ends early. */
export function beginSession(clock: Clock, interrupt: AbortSignal, deadlineMs: number, asked: Asked): Session {
  const guard = clock.deadline(deadlineMs);
  const both = new AbortController();
  // Linked by hand and unlinked at the end: AbortSignal.any would pile up on a signal that lives as long as the process.
  const stop = (event: Event): void => {
    both.abort((event.target as AbortSignal).reason);
  };
  guard.signal.addEventListener('abort', stop, { once: true });
  interrupt.addEventListener('abort', stop, { once: true });
  if (interrupt.aborted) both.abort(interrupt.reason);
  return {
    signal: both.signal,
    calm: () => {
      guard.cancel();
    },
    end: () => {
      guard.cancel();
      guard.signal.removeEventListener('abort', stop);
      interrupt.removeEventListener('abort', stop);
      both.abort(new Error('the exchange is over'));
    },
    lostBy: (error) => {
      if (interrupt.aborted) throw interruptedIn(interrupt.reason, error, asked);
      if (!(error instanceof WireError)) throw error;
      return guard.signal.aborted
        ? {
            kind: 'lost',
            stage: error.stage,
            reason: `no complete answer within ${formatDuration(deadlineMs)}`,
            final: true,
          }
        : {
            kind: 'lost',
            stage: error.stage,
            reason: error.message,
            final: error.certificate,
            certificate: error.certificate,
          };
    },
  };
}

/** The failure that a lost try ends in: exit 7 where nothing can have changed, 8 where a write may have happened. */
export function lostFailure(lost: Lost, asked: Asked): Failure {
  const facts = { request: asked.name, id: asked.id };
  const { host } = new URL(asked.name.url);
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
  if (asked.write)
    return new Failure({
      ...facts,
      code: 'outcome-unknown',
      exit: EXIT.unknown,
      message: `the request was sent to ${host}, and no readable answer came: ${lost.reason}`,
      hint: findOutHint(asked),
    });
  return new Failure({
    ...facts,
    code: 'unavailable',
    exit: EXIT.unavailable,
    message: `no readable answer came from ${host}: ${lost.reason}`,
    hint: 'Nothing changed. Try again later; berth doctor checks the service.',
  });
}

/** The interrupt itself, and a word on a write that was under way. */
function interruptedIn(reason: unknown, error: unknown, asked: Asked): unknown {
  const underway = asked.write && error instanceof WireError && error.stage !== 'not-sent';
  if (!(reason instanceof Failure) || !underway) return reason;
  const hint = [reason.hint, `The request had been sent. ${findOutHint(asked)}`].filter(Boolean).join('\n');
  return reason.with({ hint, id: reason.id ?? asked.id });
}
