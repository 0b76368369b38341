import { describe, expect, test } from 'vitest';
import { berth } from '../support/worlds/run-berth.ts';

// The contents of a `--file`: aliases, merge keys, and very large files.

/** The body that berth makes of a file, from a dry run. */
async function bodyOf(file: string) {
  const argv = ['pods', 'create', '--file', '-', '--dry-run', '--local', '--no-input'];
  const ran = await berth(argv, { stdin: file });
  const body = ran.code === 0 ? (JSON.parse(ran.out) as { readonly body: unknown }).body : undefined;
  return { ...ran, body };
}

const POD = 'name: a\nimage: i\ncpu: {id: cpu-general, vcpuCount: 2}\n';

describe('aliases and merge keys', () => {
  test.each<[string, string, Record<string, unknown>]>([
    [
      'an alias',
      'env: &e {A: x}\nports: &p [80/http]\nargs: &w go\n',
      { env: { A: 'x' }, ports: ['80/http'], args: 'go' },
    ],
    ['an alias of text', 'args: &a go\nenv: {A: *a, B: *a}\n', { args: 'go', env: { A: 'go', B: 'go' } }],
    ['a merge key', 'env:\n  <<: {A: x, B: y}\n  B: z\n', { env: { A: 'x', B: 'z' } }],
    ['several merged maps', 'env:\n  <<: [{A: x}, {A: y, B: y}]\n', { env: { A: 'x', B: 'y' } }],
    ['a quoted name', 'env: {"<<": x}\n', { env: { '<<': 'x' } }],
  ])('%s is resolved', async (_, more, expected) => {
    const { code, err, body } = await bodyOf(POD + more);
    expect(code, err).toBe(0);
    expect(body).toMatchObject(expected);
  });

  test('a number that an alias repeats is exact', async () => {
    const { out } = await bodyOf(`${POD}env: {A: &a 9007199254740993, B: *a}\n`);
    expect(out.match(/9007199254740993/g)).toHaveLength(2);
  });

  test.each([
    ['an alias of nothing', 'env: *nothing\n', /alias/],
    ['an alias within what it names', 'env: &e {A: *e}\n', /cannot be read as YAML/],
    ['a merge of text', 'env: {<<: text}\n', /[Mm]erge/],
    ['a key twice', 'env: {A: x, A: y}\n', /stdin:\d+:\d+: not YAML: Map keys must be unique/],
    ['too deep a nesting', `env: ${'['.repeat(5000)}${']'.repeat(5000)}\n`, /not YAML/],
    [
      'aliases of aliases of aliases',
      `env:\n  a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from(
        { length: 12 },
        (_, at) =>
          `  a${String(at + 1)}: &a${String(at + 1)} [${Array(10)
            .fill(`*a${String(at)}`)
            .join(',')}]\n`,
      ).join('')}`,
      /Excessive alias count/,
    ],
  ])('%s is refused with 2', async (_, more, says) => {
    const { code, err, out } = await bodyOf(POD + more);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err).not.toContain('bug');
  });
});
