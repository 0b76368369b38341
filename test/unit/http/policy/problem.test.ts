import fc from 'fast-check';
import { expect, it } from 'vitest';
import { berth as command, NO_WORDS, printed } from '../../../../src/core/message.ts';
import { refusalFailure, type RequestFacts } from '../../../../src/http/problem.ts';

const requestFacts = (write: boolean): RequestFacts => ({
  repeatable: !write,
  name: { method: write ? 'POST' : 'GET', url: 'https://api.example.com/v2/pods' },
  write,
  id: 'p1',
  checkCommand: command`pods list`,
});

it('any answer of a service gives a short, safe sentence and a known exit code', () => {
  const body = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record({
        title: fc.string({ unit: 'binary' }),
        detail: fc.string({ unit: 'binary' }),
        errors: fc.array(fc.json()),
      })
      .map((value) => JSON.stringify(value)),
    fc.string().map((text) => `<html><title>${text}</title>${text}</html>`),
  );
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), body, fc.boolean(), fc.string(), (status, text, isWrite, type) => {
      const headers = { 'content-type': type, location: text.slice(0, 50) };
      const failure = refusalFailure({ status, headers, text }, requestFacts(isWrite));
      expect([3, 4, 5, 6, 7, 8]).toContain(failure.exit);
      expect(failure.exit === 8).toBe(isWrite && (status >= 500 || status === 302 || status === 303));
      expect(failure.message).toContain(String(status));
      expect(
        `${failure.message} ${printed(failure.hint ?? '', { accountWords: NO_WORDS }).replaceAll('\n', ' ')}`,
      ).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      expect(failure).toMatchObject({ status, id: 'p1', request: requestFacts(isWrite).name });
    }),
    { numRuns: 40 },
  );
});
