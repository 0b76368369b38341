import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson } from '../../../../src/core/json.ts';
import { fieldAt, pickFields } from '../../../../src/output/fields.ts';

const ROW = decodeJson(
  '{"id":"a","n":9007199254740993,"runtime":{"gpus":[{"util":1,"mem":2},{"util":3}],"cpu":null},"__proto__":{"x":1},"a.b":5}',
);

describe('pickFields', () => {
  test.each([
    [['id'], '{"id":"a"}'],
    [['n', 'id'], '{"n":9007199254740993,"id":"a"}'],
    [['runtime.gpus'], '{"runtime":{"gpus":[{"util":1,"mem":2},{"util":3}]}}'],
    [['runtime.gpus.util'], '{"runtime":{"gpus":[{"util":1},{"util":3}]}}'],
    [['runtime.gpus.mem'], '{"runtime":{"gpus":[{"mem":2},{"mem":null}]}}'],
    [['runtime.gpus.1.util'], '{"runtime":{"gpus":[{"util":3}]}}'],
    [['runtime.gpus', 'runtime.gpus.util'], '{"runtime":{"gpus":[{"util":1,"mem":2},{"util":3}]}}'],
    [['runtime.cpu.util', 'id'], '{"runtime":{"cpu":null},"id":"a"}'],
    [['nothing.here', 'id.x'], '{"nothing":null,"id":null}'],
    [['__proto__.x'], '{"__proto__":{"x":1}}'],
    [['toString'], '{"toString":null}'],
  ])('%j', (paths, expected) => {
    expect(encodeJson(pickFields(ROW, paths))).toBe(expected);
  });

  test.each([
    ['runtime.gpus.util', '[1,3]'],
    ['runtime.gpus.1.util', '3'],
    ['runtime.gpus.9.util', 'null'],
    ['runtime.cpu', 'null'],
    ['id', '"a"'],
  ])('the value at %s alone is %s', (path, expected) => {
    expect(encodeJson(fieldAt(ROW, path))).toBe(expected);
  });
});
