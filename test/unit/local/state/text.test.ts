import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queuesCodec } from '../../../../src/local/queue/state/codec.ts';
import { queuesOf, type Job } from '../../../../src/local/queue/state/records.ts';
import { recordState, type Line } from '../../../../src/local/state/file/codec.ts';
import { createLongTexts } from '../../../../src/local/state/file/long-texts.ts';
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
      const disk = new Map<string, string>();
      const read = (name: string): string => {
        const text = disk.get(name);
        if (text === undefined) throw new Error(`no text ${name}`);
        return text;
      };
      const texts = createLongTexts(read);
      const recorded = recordState(createState(Date.UTC(2026, 0, 1)), texts, [queuesCodec]);
      const { state } = recorded;
      for (const job of jobs) queuesOf(state).jobs[job.id] = job;
      for (const job of jobs.slice(1)) queuesOf(state).awaited[job.id] = { since: 1, waiters: 2, last: job };
      const whole = JSON.stringify(state);

      const change = recorded.change() ?? '';
      for (const [name, content] of texts.added) disk.set(name, Buffer.from(content).toString());
      texts.settle();
      expect(JSON.stringify(state)).toBe(whole);
      expect(recorded.change()).toBeUndefined();

      for (const lines of [[change], [...recorded.lines('stamp')].slice(1)]) {
        const others = createLongTexts(read);
        const back = recordState(createState(state.since), others, [queuesCodec]);
        for (const line of lines) back.apply(JSON.parse(line) as Line);
        expect(JSON.parse(JSON.stringify(back.state))).toEqual(JSON.parse(whole));
        expect(back.change()).toBeUndefined();
        expect([...disk.keys()].filter((name) => !others.has(name))).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});
