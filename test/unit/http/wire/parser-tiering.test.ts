import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { keepParserAsCompiled } from '../../../../src/http/wire/parser-tiering.ts';

test('what it tells V8 is undone to the letter, so that V8 goes on accepting compiled files', async () => {
  const before = cachedDataVersionTag();
  const undo = await keepParserAsCompiled();
  expect(cachedDataVersionTag()).not.toBe(before);
  undo();
  expect(cachedDataVersionTag()).toBe(before);
});
