import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson, isObject, type Json, type JsonObject } from '../../../src/core/json.ts';
import { withoutVariables, withVariables } from '../../../src/commands/plan/documents.ts';
import { differences, type Kind } from '../../../src/fleet/differences.ts';

const KIND: Kind = {
  updates: [],
  writeOnly: [],
  unordered: ['ports'],
  effect: () => 'in-place',
  emptied: () => undefined,
  refusal: () => undefined,
};

const names = fc.stringMatching(/^[a-z]{1,6}$/);
const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const objects = fc.dictionary(names, values, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>;

const paths = (row: Json, body: JsonObject): readonly string[] => differences(KIND, row, body).map(({ path }) => path);

describe('members that differ', () => {
  test('a body has no difference from itself, whatever the row has beside it', () => {
    fc.assert(
      fc.property(objects, objects, (body, more) => {
        expect(paths({ ...more, ...body }, body)).toEqual([]);
      }),
    );
  });

  test('a changed text is the only difference, by its path', () => {
    fc.assert(
      fc.property(objects, names, names, fc.string({ minLength: 1 }), (body, outer, inner, text) => {
        const row = { ...body, [outer]: { [inner]: `${text}.` } };
        expect(paths(row, { ...body, [outer]: { [inner]: text } })).toEqual([`${outer}.${inner}`]);
      }),
    );
  });

  test('the order of a set is no difference, that of another list is one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2 }), (items) => {
        const turned = items.toReversed();
        expect(paths({ ports: items, cmd: items }, { ports: turned, cmd: turned })).toEqual(['cmd']);
      }),
    );
  });

  test('null is the same as empty and as absent, and a difference from anything else', () => {
    fc.assert(
      fc.property(values, (value) => {
        const isEmpty =
          value === null ||
          value === '' ||
          (Array.isArray(value) && value.length === 0) ||
          (isObject(value) && Object.keys(value).length === 0);
        expect(paths({ a: value }, { a: null, b: null })).toEqual(isEmpty ? [] : ['a']);
      }),
    );
  });

  test.each([
    ['20', '20.0', 0],
    ['20', '2e1', 0],
    ['20', '21', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['9007199254740993', '9007199254740993', 0],
  ])('%s and %s: %i differences', (one, other, count) => {
    const decoded = [one, other].map((text) => decodeJson(`{"n":${text}}`) as JsonObject);
    expect(paths(decoded[0] ?? null, decoded[1] ?? {})).toHaveLength(count);
  });
});

describe('variables of a document', () => {
  const never = (): never => {
    throw new Error('unknown');
  };

  test('no text that a variable brought is printed', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z0-9]{8,20}$/), objects, (secret, around) => {
        const found = new Set<string>();
        const value = withVariables({ ...around, x: ['a${V}b'] }, new Map([['V', secret]]), found, never);
        expect(JSON.stringify(value)).toContain(`a${secret}b`);
        expect(JSON.stringify(withoutVariables(value, found))).not.toContain(`a${secret}b`);
      }),
    );
  });

  test('a name that is not given is refused, with its path; $${NAME} is text', () => {
    const read = (text: string): Json =>
      withVariables({ a: [text] }, new Map(), new Set(), (path, name) => {
        throw new Error(`${path.join('.')}: ${name}`);
      });
    expect(() => read('x${OTHER}')).toThrow('a.0: OTHER');
    expect(read('$${OTHER} $HOME ${}')).toEqual({ a: ['${OTHER} $HOME ${}'] });
  });
});
