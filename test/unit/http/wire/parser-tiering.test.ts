import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { keepParserAsCompiled } from '../../../../src/http/wire/parser-tiering.ts';

test('the V8 flags are set back exactly, so that V8 still accepts the code cache', async () => {
  const before = cachedDataVersionTag();
  const undo = await keepParserAsCompiled();
  expect(cachedDataVersionTag()).not.toBe(before);
  undo();
  expect(cachedDataVersionTag()).toBe(before);
});
