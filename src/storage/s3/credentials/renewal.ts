import type { Clock, CredentialWait } from '../../../core/context.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { Failure, asError } from '../../../core/failure.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import type { Credentials } from './credentials.ts';
import type { FoundCredentials } from './find-credentials.ts';

export interface RenewalOptions {
  readonly found: FoundCredentials;
  readonly clock: Clock;
  /** The user's interrupt: it ends the waiting. */
  readonly signal: AbortSignal;
  /** Without it, requests fail when no new credentials are there. */
  readonly wait: CredentialWait | undefined;
}

/** The credentials of a connection, which are read again when they have expired. */
export interface Renewal {
  /**
   * The credentials for the next request. Those that expire within five minutes or have expired, as their source says, are
   * read again before; where that fails or finds no others, they stay: whether they are still good is for the service to say.
   */
  current(signals: readonly AbortSignal[]): Promise<Credentials>;
  /** Whether the credentials have expired by now, as their source says. */
  hasExpired(used: Credentials): boolean;
  /** The service has carried out a request with these credentials. */
  accepted(used: Credentials): void;
  /**
   * Resolves when there are other credentials than those that were refused as expired, and from time to time without: the
   * service may accept the same ones again. Only credentials that the service has accepted before can have expired: others
   * fail at once with `failure`.
   */
  renew(refused: Credentials, failure: Failure, signals: readonly AbortSignal[]): Promise<void>;
}

/** Milliseconds between two readings while there are no new credentials. */
const READ_INTERVAL_MS = 5000;
/** How long before their end credentials are read again, and the time between two such readings. */
const EARLY_MS: Milliseconds = 5 * MINUTE_MS;
const EARLY_INTERVAL_MS: Milliseconds = MINUTE_MS;
/** Milliseconds until the same credentials are tried again: twice as many after each trial. */
const FIRST_TRIAL_MS = 5000;
const MAX_TRIAL_MS = MINUTE_MS;
/** Milliseconds after which it is said again what is waited for. */
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

  /** Milliseconds until the credentials expire, as their source says. */
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

/** Resolves as the work does; fails with the reason of the first signal that is aborted before. */
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
