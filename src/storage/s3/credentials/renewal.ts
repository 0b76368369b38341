import type { Clock, CredentialWait } from '../../../core/context.ts';
import { type Milliseconds, MINUTE_MS } from '../../../core/unit-types.ts';
import { asError, Failure } from '../../../core/failure.ts';
import type { Credentials } from './credentials.ts';
import type { FoundCredentials } from './find-credentials.ts';

export interface RenewalOptions {
  readonly found: FoundCredentials;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly wait: CredentialWait | undefined;
}

export interface Renewal {
  /** Read again from five minutes before they expire. If nothing newer is found, the old ones stay in use. */
  current(signals: readonly AbortSignal[]): Promise<Credentials>;
  hasExpired(used: Credentials): boolean;
  accepted(used: Credentials): void;
  /** May resolve with the same credentials, for a retry. Never accepted before: fails at once with `failure`. */
  renew(refused: Credentials, failure: Failure, signals: readonly AbortSignal[]): Promise<void>;
}

/** Milliseconds. */
const READ_INTERVAL_MS = 5000;
/** How long before their end credentials are read again, and the time between two such readings. */
const EARLY_MS: Milliseconds = 5 * MINUTE_MS;
const EARLY_INTERVAL_MS: Milliseconds = MINUTE_MS;
/** Milliseconds; doubles after each trial of the same credentials. */
const FIRST_TRIAL_MS = 5000;
const MAX_TRIAL_MS = MINUTE_MS;
const TELL_INTERVAL_MS = MINUTE_MS;

export function createRenewal({ found, clock, signal, wait }: RenewalOptions): Renewal {
  const { readAgain, source } = found;
  let current = found.credentials;
  let isAccepted = false;
  let wereAccepted = false;
  let reading: Promise<void> | undefined;
  let readAt = clock.monotonic();
  let trialMs = FIRST_TRIAL_MS;
  /** What is waited for; undefined while nothing is. Several requests wait for the same. */
  let reason: string | undefined;
  let told: string | undefined;
  let toldAt = 0;

  /** Replaces the credentials, or tries the same ones again: all requests that wait use these. */
  const use = (next: Credentials): void => {
    current = next;
    isAccepted = false;
  };

  /** All requests that wait read together. */
  const read = (again: () => Promise<Credentials>): Promise<void> =>
    (reading ??= again()
      .then((next) => {
        if (isSame(next, current)) return;
        use(next);
        trialMs = FIRST_TRIAL_MS;
      })
      .finally(() => {
        reading = undefined;
        readAt = clock.monotonic();
      }));

  const remainingMs = ({ expiresAt }: Credentials): Milliseconds =>
    // eslint-disable-next-line no-restricted-syntax -- a date: the source of the credentials says one
    expiresAt === undefined ? Infinity : expiresAt - clock.now();

  const tell = (text: string): void => {
    if (told === text && clock.monotonic() - toldAt < TELL_INTERVAL_MS) return;
    wait?.onWait(text);
    told = text;
    toldAt = clock.monotonic();
  };

  return {
    current: async (signals) => {
      const remaining = remainingMs(current);
      if (readAgain === undefined || remaining > EARLY_MS) return current;
      const interval = remaining > 0 ? EARLY_INTERVAL_MS : READ_INTERVAL_MS;
      if (reading !== undefined || clock.monotonic() - readAt >= interval)
        await unlessAborted(read(readAgain), signals).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
        });
      return current;
    },
    hasExpired: (used) => remainingMs(used) <= 0,
    accepted: (used) => {
      if (used !== current || isAccepted) return;
      isAccepted = true;
      wereAccepted = true;
      if (told !== undefined) wait?.onEnd();
      told = undefined;
      reason = undefined;
      trialMs = FIRST_TRIAL_MS;
    },
    renew: async (refused, failure, signals) => {
      if (current !== refused) return;
      if (readAgain === undefined)
        throw failure.with({
          hint: `They come from ${source}, which a running program cannot read again. Set new ones, or use a profile of the shared files (AWS_PROFILE), which is read again.`,
        });
      if (!wereAccepted) throw failure;
      reason ??= failure.message;
      const readOnce = async (): Promise<boolean> => {
        try {
          await unlessAborted(read(readAgain), signals);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          if (wait === undefined) throw error;
          reason = error.message;
        }
        return current !== refused;
      };
      // New credentials that are refused as well are not read again at once.
      if (isAccepted && (await readOnce())) return;
      const interrupts = AbortSignal.any([signal, ...signals]);
      const trialAt = clock.monotonic() + trialMs;
      for (;;) {
        if (wait === undefined || signal.aborted) throw failure;
        tell(`${reason}. Waiting for new credentials of ${source}, and trying these again; Ctrl-C ends the wait.`);
        try {
          await clock.sleep(READ_INTERVAL_MS, interrupts);
        } catch {
          for (const each of signals) each.throwIfAborted();
          throw failure;
        }
        if (current !== refused) return;
        if (clock.monotonic() - readAt >= READ_INTERVAL_MS && (await readOnce())) return;
        if (clock.monotonic() < trialAt) continue;
        trialMs = Math.min(2 * trialMs, MAX_TRIAL_MS);
        use({ ...current });
        return;
      }
    },
  };
}

const isSame = (one: Credentials, other: Credentials): boolean =>
  one.accessKeyId === other.accessKeyId &&
  one.secretAccessKey === other.secretAccessKey &&
  one.sessionToken === other.sessionToken &&
  one.expiresAt === other.expiresAt;

async function unlessAborted(work: Promise<void>, signals: readonly AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(asError(signal.reason));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
