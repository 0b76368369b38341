import { expect, it } from 'vitest';
import { needOf } from '../../../../src/commands/files/copy-places.ts';
import type { Copy, End } from '../../../../src/commands/files/copy.ts';
import type { VolumeFiles } from '../../../../src/core/file-ports.ts';

const end = (id: string, key: string): End => ({ kind: 'volume', name: id, volume: { id } as VolumeFiles, key });

/** Copies of a file of 10 bytes on the volume `a`. */
async function* copiesTo(...ids: readonly string[]): AsyncGenerator<Copy> {
  for (const id of ids)
    yield {
      from: { ...end('a', 'x'), file: { key: 'x', bytes: 10, version: 'v', modifiedAt: 0 } } as Copy['from'],
      to: end(id, `y-${id}`),
      refused: undefined,
    };
  await Promise.resolve();
}

it('a move within a volume needs no space there; a copy, and a move to another volume do', async () => {
  expect((await needOf({ copies: () => copiesTo('a') }, true)).bytes).toBe(0);
  expect((await needOf({ copies: () => copiesTo('a', 'b') }, true)).bytes).toBe(10);
  expect((await needOf({ copies: () => copiesTo('a', 'b') }, false)).bytes).toBe(20);
});
