import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BatchName,
  COUNT,
  doIn,
  expectWhole,
  createPlace,
  killedRun,
  NAMES,
  type Place,
} from '../../../../support/batch/batch-place.ts';

/** What is done next, for one of two batches that are aimed at one place. `kill` is a run that is killed at a request. */
interface Step {
  readonly name: BatchName;
  readonly verb: 'run' | 'kill' | 'resume' | 'remove';
  readonly request: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    verb: fc.constantFrom('run', 'kill', 'kill', 'resume', 'remove'),
    request: fc.integer({ min: COUNT - 1, max: 2 * COUNT }),
  }),
  { minLength: 8, maxLength: 16 },
);

/** Plays the steps. After each one, the place belongs to the batch that a reader of the steps would say, whole and unmixed. */
async function play(place: Place, history: readonly Step[]): Promise<void> {
  const { service } = place;
  let owner: BatchName | undefined;
  for (const { name, verb, request } of history) {
    const begins = verb === 'run' || verb === 'kill';
    const isRefused = begins ? owner !== undefined && owner !== name : owner === undefined;
    const before = isRefused ? place.contents() : undefined;
    const { ran, killed } =
      verb === 'kill' ? await killedRun(place, name, request) : { ran: await doIn(place, name, verb), killed: false };
    const said = `${verb} ${name}, of ${String(owner)}: ${ran.err}`;
    if (isRefused) {
      expect([2, 4, 14], said).toContain(ran.code);
      expect(place.contents(), said).toEqual(before);
      continue;
    }
    const isNew = begins && owner === undefined;
    if (begins) owner = name;
    if (verb === 'remove') owner = undefined;
    // What a killed process was just sending is unknown.
    if (!killed) expect(isNew ? [0] : [0, 13], said).toContain(ran.code);
    if (owner === undefined) expect(place.contents(), said).toEqual([]);
    else await expectWhole(place, owner);
    expect(new Set(service.jobs.map(({ endpoint, n }) => `${endpoint} ${String(n)}`)).size, said).toBe(
      service.jobs.length,
    );
    // The next batch of the same name sends its items anew.
    if (verb === 'remove') service.jobs.length = 0;
  }
}

describe('two batches that are aimed at one results file', () => {
  test('never mix: the place is of the first until it is removed, whatever is begun, killed and resumed', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        await play(await createPlace(), history);
      }),
      // A history that fails is short enough to be read as it is.
      { numRuns: 6, endOnFailure: true },
    );
  });
});
