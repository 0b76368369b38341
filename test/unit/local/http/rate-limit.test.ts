import { parseList, type InnerList, type Item } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { JOBS_ONLY_KEY, READ_ONLY_KEY } from '../../../../src/local/http/admission.ts';
import { localFixture } from '../../../support/local/service-fixture.ts';

/** `[name, parameters]` of each member, as a reader of structured fields finds them. */
const members = (header: string | null): [unknown, unknown][] =>
  parseList(header ?? '').map(([name, parameters]: Item | InnerList): [unknown, unknown] => [
    name,
    Object.fromEntries<unknown>(parameters),
  ]);

describe('rate windows (specification 8.1)', () => {
  it('are on every authenticated answer, in the specified form', async () => {
    const { send } = localFixture({ quota: { minute: 60, hour: 3000, day: 50_000 } });
    await send('GET', '/v2/pods');
    const { headers } = await send('GET', '/v2/pods');
    expect(headers.get('ratelimit')).toBe('"minute";r=58;t=60, "hour";r=2998;t=3600, "day";r=49998;t=86400');
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400');
    expect(members(headers.get('ratelimit'))).toHaveLength(3);
  });

  it.each<['minute' | 'hour' | 'day', number]>([
    ['minute', 60],
    ['hour', 3600],
    ['day', 86_400],
  ])('refuses beyond the quota of the %s, until its window resets', async (window, seconds) => {
    const { send, clock } = localFixture({ quota: { [window]: 2 } });
    await send('GET', '/v2/pods');
    clock.advance(10_500);
    await send('GET', '/v2/pods', undefined, READ_ONLY_KEY);
    const refused = await send('GET', '/v2/pods');
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      title: 'Too Many Requests',
      status: 429,
      detail: `rate limit exceeded for the ${window} window`,
    });
    expect(refused.headers.get('retry-after')).toBe(String(seconds - 10));
    expect(members(refused.headers.get('ratelimit'))).toContainEqual([window, { r: 0, t: seconds - 10 }]);
    clock.advance((seconds - 10) * 1000 - 1000);
    expect((await send('GET', '/v2/pods')).status).toBe(429);
    clock.advance(500);
    expect((await send('GET', '/v2/pods')).status).toBe(200);
  });

  it('are those of the user, whichever key signs; queue operations have no part in them', async () => {
    const { send } = localFixture({ quota: { minute: 1 } });
    expect((await send('GET', '/v2/pods')).status).toBe(200);
    expect((await send('GET', '/v2/pods', undefined, READ_ONLY_KEY)).status).toBe(429);
    const health = await send('GET', '/v2/echo/health', undefined, JOBS_ONLY_KEY);
    expect(health.headers.has('ratelimit')).toBe(false);
    expect(health.status).not.toBe(429);
  });
});
