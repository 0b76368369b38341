import type { Api } from '../../core/api.ts';
import type { Clock } from '../../core/context.ts';

/** The service's time, as its answers tell it. */
export interface ServiceClock {
  /** Milliseconds since the epoch; this machine's own clock as long as no answer has told the time. */
  readonly time: () => number;
  /** Whether an answer has told the time. */
  readonly isSet: () => boolean;
  /** The same Api; the `Date` of its answers sets this clock. */
  following(api: Api): Api;
}

/**
 * A clock set by the last answer that said when it was sent. Times that the service wrote are compared with it: this
 * machine's clock may be wrong, and the local service's time may have been moved.
 */
export function createServiceClock(clock: Pick<Clock, 'now' | 'monotonic'>): ServiceClock {
  let told: { readonly date: number; readonly at: number } | undefined;
  return {
    // eslint-disable-next-line no-restricted-syntax -- a date
    time: () => (told === undefined ? clock.now() : told.date + clock.monotonic() - told.at),
    isSet: () => told !== undefined,
    following: (api) => ({
      ...api,
      send: async (request) => {
        const answer = await api.send(request);
        const date = httpDate(answer.headers['date']);
        if (date !== undefined) told = { date, at: clock.monotonic() };
        return answer;
      },
    }),
  };
}

/** The time in a `Date` header, in milliseconds since the epoch; undefined where it is none (RFC 9110, 5.6.7). */
function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text))
    return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
