import type { Api } from '../../../core/api.ts';
import type { Clock } from '../../../core/context.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** The service's time, by the `Date` header of its answers. */
export interface ServiceClock {
  /** This machine's time until an answer had a date. */
  readonly time: () => EpochMs;
  /** Whether an answer had a date. */
  readonly isSet: () => boolean;
  /** An Api whose answers set this clock. */
  following(api: Api): Api;
}

/**
 * Creates a clock that the last answer with a date sets. Times from the service are compared with it, because this
 * machine's clock may be wrong and the local service's clock may have been advanced.
 */
export function createServiceClock(clock: Pick<Clock, 'now' | 'monotonic'>): ServiceClock {
  let last: { readonly date: number; readonly at: number } | undefined;
  return {
    // eslint-disable-next-line no-restricted-syntax -- a date
    time: () => (last === undefined ? clock.now() : last.date + clock.monotonic() - last.at),
    isSet: () => last !== undefined,
    following: (api) => ({
      ...api,
      send: async (request) => {
        const answer = await api.send(request);
        const date = httpDate(answer.headers['date']);
        if (date !== undefined) last = { date, at: clock.monotonic() };
        return answer;
      },
    }),
  };
}

/** The time of a `Date` header; undefined if it is malformed (RFC 9110, 5.6.7). */
function httpDate(text: string | undefined): EpochMs | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text))
    return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
