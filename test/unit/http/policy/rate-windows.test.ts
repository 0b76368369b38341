import { describe, expect, it } from 'vitest';
import { readWindows } from '../../../../src/http/rate-windows.ts';

const left = '"minute";r=59;t=12, "hour";r=2800;t=1812, "day";r=49500;t=45012';
const policy = '"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400';
const names = (headers: Record<string, string>): string[] => readWindows(headers).map(({ name }) => name);

describe('rate windows', () => {
  it('joins RateLimit with RateLimit-Policy', () => {
    const [minute, hour, day] = readWindows({ ratelimit: left, 'ratelimit-policy': policy });
    expect(minute).toEqual({
      name: 'minute',
      remaining: 59,
      resetSeconds: 12,
      quota: 60,
      windowSeconds: 60,
    });
    expect(hour).toMatchObject({ name: 'hour', remaining: 2800, windowSeconds: 3600 });
    expect(day).toMatchObject({ name: 'day', remaining: 49500, quota: 50000 });
  });

  it.each(['"minute";r=', 'minute r=5', '"minute', ';;;', '"minute";r=59,', '\u00e9'])(
    'takes %j for absent, and still reads the other header',
    (bad) => {
      expect(names({ ratelimit: bad })).toEqual([]);
      expect(names({ ratelimit: bad, 'ratelimit-policy': policy })).toEqual(['minute', 'hour', 'day']);
    },
  );
});
