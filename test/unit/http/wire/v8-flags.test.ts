import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { skipOptimizations } from '../../../../src/http/wire/v8-flags.ts';

test('the V8 flags are set back exactly, so that V8 still accepts the code cache', async () => {
  const before = cachedDataVersionTag();
  const undo = await skipOptimizations();
  expect(cachedDataVersionTag()).not.toBe(before);
  undo();
  expect(cachedDataVersionTag()).toBe(before);
});
