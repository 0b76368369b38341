import { expect, test } from 'vitest';
import { splitPlace } from '../../../../src/commands/files/address.ts';

test.each([
  ['data:set/a', { name: 'data', path: 'set/a' }],
  ['lab:/root/a', { name: 'lab', path: '/root/a' }],
  ['lab:', { name: 'lab', path: '' }],
  // A pod may have a name of one letter: what follows its colon is then no slash.
  ['c:a', { name: 'c', path: 'a' }],
  ['C:\\data\\a', undefined],
  ['C:/data/a', undefined],
  ['D:\\', undefined],
  ['.\\a:b', undefined],
  ['\\\\server\\share\\a:b', undefined],
  ['./a:b', undefined],
  ['a', undefined],
])('%j', (text, place) => {
  expect(splitPlace(text)).toEqual(place);
});
