import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { decodeJson, type Json } from '../../../../src/core/json.ts';
import { csvColumns, csvLines } from '../../../../src/output/formats/csv.ts';
import { toYaml } from '../../../../src/output/formats/yaml.ts';

describe('YAML', () => {
  test('parses to the same data by the rules of YAML 1.2 and of 1.1', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const json = JSON.stringify(value);
        const yaml = await toYaml(decodeJson(json));
        for (const version of ['1.2', '1.1'] as const) expect(parse(yaml, { version })).toEqual(JSON.parse(json));
      }),
    );
  });

  test.each([
    ['[9007199254740993,1e400,1.0,-0.10]', '- 9007199254740993\n- 1e400\n- 1.0\n- -0.10\n'],
    [
      '["no","1e3","0x1f","~","",":","2026-01-01","line\\ntwo\\n"]',
      '- "no"\n- "1e3"\n- "0x1f"\n- "~"\n- ""\n- ":"\n- "2026-01-01"\n- |\n  line\n  two\n',
    ],
    ['"\u202e\u0085\u{e0041}\\u001b[31m"', '"\\u202e\\x85\\U000e0041\\e[31m"\n'],
    ['{"\u202e":1}', '"\\u202e": 1\n'],
    ['{"__proto__":1}', '__proto__: 1\n'],
    ['{}', '{}\n'],
    ['null', 'null\n'],
  ])('%s', async (json, expected) => {
    expect(await toYaml(decodeJson(json))).toBe(expected);
  });
});

describe('CSV', () => {
  const csv = (json: string, onTerminal = false): Promise<string> => {
    const rows = decodeJson(json) as readonly Json[];
    return csvLines(csvColumns(rows, undefined, {}), rows, { fields: undefined, onTerminal, header: true });
  };

  test.each([
    ['[{"a":1,"b":"x,y"},{"c":true,"a":null}]', 'a,b,c\n1,"x,y",\n,,true\n'],
    [
      '[{"n":9007199254740993,"e":1e400,"neg":-9007199254740993,"m":-1.5}]',
      'n,e,neg,m\n9007199254740993,1e400,-9007199254740993,-1.5\n',
    ],
    ['[{"a":{"b":[1,"q\\"q"]}}]', 'a\n"{""b"":[1,""q\\""q""]}"\n'],
    ['[{"a":"line\\nfeed"}]', 'a\n"line\nfeed"\n'],
    ['[]', ''],
  ])('%s', async (json, expected) => {
    expect(await csv(json)).toBe(expected);
  });

  test('control characters are visible escapes on a terminal', async () => {
    expect(await csv('[{"a":"\\u001b]52;","b":["\u202e"]}]', true)).toBe('a,b\n\\x1b]52;,"[""\\u202e""]"\n');
  });
});
