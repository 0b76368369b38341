import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queuesCodec } from '../../../../src/local/queue/state/codec.ts';
import { queuesOf, type Job } from '../../../../src/local/queue/state/records.ts';
import type { SavedState } from '../../../../src/local/state/file/versions.ts';
import { createStateCodec, fileText } from '../../../../src/local/state/file/codec.ts';
import { createState } from '../../../../src/local/state/state.ts';

const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }).map((text) => text.repeat(20_000)),
  fc.constantFrom(`${'x'.repeat(20_000)}\ud800`, 'y'.repeat(16_384), 'y'.repeat(16_385)),
);
const someJob = fc.record(
  {
    id: fc.uuid(),
    endpointId: fc.constant('echo'),
    input: someText,
    output: someText,
    error: someText,
    stream: fc.record({ made: fc.nat(), numbered: fc.nat(), pending: fc.array(someText, { maxLength: 3 }) }),
  },
  { requiredKeys: ['id', 'endpointId', 'input', 'stream'] },
) as unknown as fc.Arbitrary<Job>;

it('any state is the same after it was written and read, as often as one likes', () => {
  fc.assert(
    fc.property(fc.array(someJob, { maxLength: 5 }), (jobs) => {
      const state = createState(Date.UTC(2026, 0, 1));
      for (const job of jobs) queuesOf(state).jobs[job.id] = job;
      for (const job of jobs.slice(1)) queuesOf(state).awaited[job.id] = { since: 1, waiters: 2, last: job };
      const whole = JSON.stringify(state);
      const disk = new Map<string, string>();
      const text = createStateCodec((name) => disk.get(name) ?? '', [queuesCodec]);

      const first = text.encode(state);
      for (const [name, content] of first.texts) disk.set(name, Buffer.from(content).toString());
      expect(new Set(disk.keys())).toEqual(first.named);
      text.dropTexts(state);
      expect(JSON.stringify(state)).toBe(whole);
      const again = text.encode(state);
      expect(again).toEqual({ ...first, texts: new Map() });

      const read = createStateCodec((name) => disk.get(name) ?? '', [queuesCodec]);
      const back = read.decode(JSON.parse(fileText(state, 'stamp', first.body)) as SavedState);
      expect(back).toEqual(JSON.parse(whole));
      expect(read.encode(back).body).toBe(first.body);
    }),
    { numRuns: 60 },
  );
});
