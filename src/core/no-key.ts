import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';
import { berth, sentence } from './message.ts';

/** The failure (3) for a missing key. It names both solutions: log in, or use the local service. */
export const noKey = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no API key is configured',
    hint: sentence`Log in: ${berth`auth login`}. Or try it without an account, on the local service: add --local.`,
  });
