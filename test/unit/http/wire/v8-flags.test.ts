import * as v8 from 'node:v8';
import { expect, test } from 'vitest';
import { setRecompiling } from '../../../../src/http/wire/client.ts';

test('the V8 flags are set back exactly, so that V8 still accepts the code cache', () => {
  // In one step: the flags are those of the process, and commands of other tests change them too, or leave them changed.
  for (const flag of ['wasm-tier-up', 'wasm-dynamic-tiering']) v8.setFlagsFromString(`--${flag}`);
  const before = v8.cachedDataVersionTag();
  setRecompiling(false);
  expect(v8.cachedDataVersionTag()).not.toBe(before);
  setRecompiling(true);
  expect(v8.cachedDataVersionTag()).toBe(before);
});
