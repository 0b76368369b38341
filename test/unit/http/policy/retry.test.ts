import { describe, expect, it } from 'vitest';
import { type AttemptEnd, decideRetry, readRetryAfter } from '../../../../src/http/retry.ts';

const policy = { retries: 3, maxTotalWaitMs: 120_000 };
const now = Date.UTC(2026, 0, 1, 12);
const status = (code: number, retryAfterMs?: number): AttemptEnd => ({ kind: 'status', status: code, retryAfterMs });
const lost = (stage: 'not-sent' | 'sent' | 'answered', final = false): AttemptEnd => ({ kind: 'lost', stage, final });

describe('the decision to retry', () => {
  const READ = true;
  const WRITE = false;
  it.each<[string, boolean, AttemptEnd, boolean]>([
    ['a read after 429', READ, status(429), true],
    ['a read after 503', READ, status(503), true],
    ['a read after 404', READ, status(404), false],
    ['a read never sent', READ, lost('not-sent'), true],
    ['a read without an answer', READ, lost('sent'), true],
    ['a read whose answer broke off', READ, lost('answered'), true],
    ['a read past its deadline', READ, lost('sent', true), false],
    ['a write after 429', WRITE, status(429), true],
    ['a write after 503', WRITE, status(503), false],
    ['a write never sent', WRITE, lost('not-sent'), true],
    ['a write without an answer', WRITE, lost('sent'), false],
    ['a write whose answer broke off', WRITE, lost('answered'), false],
    ['a write past its deadline before it was sent', WRITE, lost('not-sent', true), false],
  ])('%s', (_, repeatable, end, retry) => {
    expect(decideRetry(repeatable, end, 1, 0, policy, 0.5).retry).toBe(retry);
  });

  it('stops after the retries, and when the wait is longer than allowed', () => {
    expect(decideRetry(true, status(503), 4, 0, policy, 0.5).retry).toBe(false);
    expect(decideRetry(true, status(429, 3_600_000), 1, 0, policy, 0.5).retry).toBe(false);
    expect(decideRetry(true, status(429, 60_000), 3, 70_000, policy, 0.5).retry).toBe(false);
    expect(decideRetry(true, status(503), 1, 0, { ...policy, retries: 0 }, 0.5).retry).toBe(false);
  });

  it('obeys Retry-After, but never in a busy loop', () => {
    expect(decideRetry(false, status(429, 7000), 1, 0, policy, 0.9)).toEqual({ retry: true, waitMs: 7000 });
    expect(decideRetry(false, status(429, 0), 1, 0, policy, 0.9)).toEqual({ retry: true, waitMs: 100 });
  });
});

describe('Retry-After', () => {
  it.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['12', 12_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    [undefined, undefined],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Thu, 01 Jan 2026 11:59:59 GMT', undefined],
    ['Thu, 01 Foo 2026 12:00:30 GMT', undefined],
    ['2026-01-01T12:00:30Z', undefined],
  ])('%j', (text, expected) => {
    expect(readRetryAfter(text === undefined ? {} : { 'retry-after': text }, now)).toBe(expected);
  });

  it.each([-240, 0, 240])('a date counts from the Date of the answer, with a wall clock %i hours off', (hours) => {
    const headers = {
      date: new Date(now).toUTCString(),
      'retry-after': new Date(now + 30_000).toUTCString(),
    };
    expect(readRetryAfter(headers, now + hours * 3_600_000)).toBe(30_000);
    expect(readRetryAfter({ ...headers, date: 'soon' }, now)).toBe(30_000);
  });
});
