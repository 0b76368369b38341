import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RateWindow } from '../../../../src/core/api.ts';
import { createRateLimitFile, type RateLimitFile } from '../../../../src/host/connection/rate-limit-file.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const windows = (remaining: number): readonly RateWindow[] => [
  { name: 'minute', remaining, resetSeconds: 12, quota: 60, windowSeconds: 60, seenAt: 1000 },
  {
    name: 'odd',
    remaining: undefined,
    resetSeconds: undefined,
    quota: undefined,
    windowSeconds: undefined,
    seenAt: 1000,
  },
];

function open(): { path: string; at: { ms: number }; memory: (profile?: string, account?: string) => RateLimitFile } {
  const path = join(createTestWorld().directory, 'data', 'limits.json');
  const at = { ms: 5000 };
  const memory = (profile = 'default', account = 'http://127.0.0.1 key'): RateLimitFile =>
    createRateLimitFile({
      path: () => path,
      profile: () => profile,
      account: () => account,
      now: () => at.ms,
      monotonic: () => at.ms,
      random: Math.random,
      user: process.geteuid?.(),
    });
  return { path, at, memory };
}

describe('remembered limits', () => {
  it('are available to the next command, by profile', async () => {
    const { path, memory } = open();
    expect(await memory().read()).toEqual([]);
    expect(existsSync(dirname(path))).toBe(false);
    memory('work').remember(windows(59));
    memory('play').remember(windows(7));
    expect(await memory('work').read()).toEqual(windows(59));
    expect(await memory('play').read()).toEqual(windows(7));
    expect(readdirSync(dirname(path))).toEqual(['limits.json']);
  });

  it('of another address or key are ignored', async () => {
    const { memory } = open();
    memory('work', 'http://127.0.0.1:1 a').remember(windows(59));
    expect(await memory('work', 'http://127.0.0.1:2 a').read()).toEqual([]);
    expect(await memory('work', 'http://127.0.0.1:1 b').read()).toEqual([]);
    expect(await memory('work', 'http://127.0.0.1:1 a').read()).toEqual(windows(59));
  });

  it('from the future are ignored, because the wall clock was set back', async () => {
    const { at, memory } = open();
    memory().remember([{ ...windows(59)[0], name: 'minute', seenAt: at.ms } as RateWindow]);
    expect(await memory().read()).toHaveLength(1);
    at.ms -= 59_000;
    expect(await memory().read()).toHaveLength(1);
    at.ms -= 3_600_000;
    expect(await memory().read()).toEqual([]);
  });

  it('are written at once, then at intervals, and at the end', () => {
    const { path, at, memory } = open();
    const limits = memory();
    const written = (): unknown =>
      (JSON.parse(readFileSync(path, 'utf8')) as { default: { windows: RateWindow[] } }).default.windows[0]?.remaining;
    limits.remember(windows(9));
    limits.remember(windows(8));
    expect(written()).toBe(9);
    at.ms += 2000;
    limits.remember(windows(7));
    limits.remember(windows(6));
    expect(written()).toBe(7);
    limits.flush();
    expect(written()).toBe(6);
  });

  it('never fail: a broken file is replaced, and a path that cannot be written is ignored', async () => {
    const { path, memory } = open();
    mkdirSync(dirname(path));
    for (const content of [
      '',
      '{',
      '[]',
      'null',
      '{"default":[]}',
      '{"default":{}}',
      '{"default":{"account":"http://127.0.0.1 key","windows":[1,{"name":2},{"name":"a","seenAt":1,"quota":"x"}]}}',
    ]) {
      writeFileSync(path, content);
      expect(await memory().read()).toEqual([]);
    }
    memory().remember(windows(3));
    expect(await memory().read()).toEqual(windows(3));

    const nowhere = createRateLimitFile({
      path: () => join(path, 'limits.json'),
      profile: () => 'default',
      account: () => undefined,
      now: () => 0,
      monotonic: () => 0,
      random: () => 0.5,
      user: undefined,
    });
    nowhere.remember(windows(1));
    expect(await nowhere.read()).toEqual(windows(1));
  });
});
