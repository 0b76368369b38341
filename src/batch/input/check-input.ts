import { fingerprinting, type Fingerprint } from './fingerprint.ts';
import type { BadItem, InputShape, Item } from './item.ts';
import { readItems } from './read-items.ts';

/** What an input holds. Sizes are bytes. */
export interface Survey {
  readonly planned: number;
  readonly invalid: number;
  /** The first of what cannot be sent. */
  readonly bad: readonly BadItem[];
  readonly fingerprint: Fingerprint;
  /** Bodies as they will be sent: all together, and the largest. */
  readonly bodyBytes: number;
  readonly largestBody: number;
  readonly first: Item | undefined;
}

/** How many of the bad items are told one by one. */
const BAD_TOLD = 20;

/** Reads an input once, sends nothing, and keeps nothing but counts. Fails as readItems does. */
export async function survey(pieces: AsyncIterable<Uint8Array>, shape: InputShape): Promise<Survey> {
  const passing = fingerprinting(pieces);
  const bad: BadItem[] = [];
  let [planned, invalid, bodyBytes, largestBody] = [0, 0, 0, 0];
  let first: Item | undefined;
  for await (const items of readItems(passing.pieces, shape)) {
    for (const item of items) {
      if (item.kind === 'bad') {
        invalid += 1;
        if (bad.length < BAD_TOLD) bad.push(item);
        continue;
      }
      planned += 1;
      bodyBytes += item.body.byteLength;
      largestBody = Math.max(largestBody, item.body.byteLength);
      first ??= item;
    }
  }
  return { planned, invalid, bad, fingerprint: passing.result(), bodyBytes, largestBody, first };
}
