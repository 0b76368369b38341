import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { severalAtOnce } from '../../../../src/core/several-at-once.ts';

/** Works that the test ends one by one, by their items. */
function works() {
  const running = new Map<number, { readonly end: () => void; readonly fail: () => void }>();
  let most = 0;
  const work = (item: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        running.delete(item);
        resolve(`done ${String(item)}`);
      };
      const fail = (): void => {
        running.delete(item);
        reject(new Error(`failed ${String(item)}`));
      };
      running.set(item, { end, fail });
      most = Math.max(most, running.size);
    });
  return { work, running, most: () => most };
}

async function* numbers(count: number, failAt = Infinity): AsyncGenerator<number> {
  for (let item = 0; item < count; item++) {
    if (item === failAt) throw new Error('no more');
    yield await Promise.resolve(item);
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

async function collect(results: AsyncIterable<string>, into: string[]): Promise<string> {
  try {
    for await (const result of results) into.push(result);
    return 'ended';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('several at once', () => {
  it('are yielded in the order of the items, whatever the order in which they end', async () => {
    const cases = fc.tuple(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 5 }),
      fc.infiniteStream(fc.nat(3)),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([count, atOnce, more, choices]) => {
        const { work, running, most } = works();
        const got: string[] = [];
        const ended = collect(severalAtOnce(numbers(count), work, { atOnce, ahead: atOnce + more }), got);
        for (let left = count; left > 0; left--) {
          await settle();
          const open = [...running.values()];
          open[(choices.next().value ?? 0) % open.length]?.end();
        }
        expect(await ended).toBe('ended');
        expect(got).toEqual(Array.from({ length: count }, (_, item) => `done ${String(item)}`));
        expect(most()).toBeLessThanOrEqual(atOnce);
      }),
    );
  });

  it('begin no other when one fails, and wait for those that run', async () => {
    const { work, running } = works();
    const got: string[] = [];
    const ended = collect(severalAtOnce(numbers(9), work, { atOnce: 3, ahead: 9 }), got);
    await settle();
    running.get(1)?.fail();
    await settle();
    running.get(0)?.end();
    await settle();
    expect([...running.keys()]).toEqual([2]);
    running.get(2)?.end();
    expect([await ended, got]).toEqual(['failed 1', ['done 0']]);
  });
});
