import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const CREATE = 'pods create --name a --cpu cpu-general --vcpu 2 --image i --dry-run --json --env-from v.env';

/** Creates a pod with this file of variables, in a dry run. */
async function read(text: string) {
  const world = createTestWorld();
  writeFileSync(join(world.cwd, 'v.env'), text);
  return await berthIn(world, ['--local', ...CREATE.split(' ')]);
}
const envOf = async (text: string): Promise<unknown> =>
  (JSON.parse((await read(text)).out) as { readonly body: { readonly env: unknown } }).body.env;

/** Bash 5.2 (`set -a; . FILE`) and python-dotenv 1.2.4 read each of these so. */
const ALIKE: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['A=x\n', { A: 'x' }],
  ['export A=x\n', { A: 'x' }],
  ['\n\n# c\n  # c\nA=x\n\n', { A: 'x' }],
  ['A=p@ss#w0rd\n', { A: 'p@ss#w0rd' }],
  ["A='p #x' # c\n", { A: 'p #x' }],
  ['A=a=b==\n', { A: 'a=b==' }],
  ['A=https://u:p@h:1/p?q=%20#f\n', { A: 'https://u:p@h:1/p?q=%20#f' }],
  ['A=a,b*?[c]!^%+@:/-._}\n', { A: 'a,b*?[c]!^%+@:/-._}' }],
  ['A=\'$x `y` "z" \\n {b}\'\n', { A: '$x `y` "z" \\n {b}' }],
  ['A="it\'s"\n', { A: "it's" }],
  ['A="a\\"b"\n', { A: 'a"b' }],
  ['A="a\\\\"\nB="c"\n', { A: 'a\\', B: 'c' }],
  ['A="one\nB=two"\n', { A: 'one\nB=two' }],
  ['A="-----BEGIN-----\nx==\n-----END-----\n"\nB=1\n', { A: '-----BEGIN-----\nx==\n-----END-----\n', B: '1' }],
  ["A='C:\\dir'\n", { A: 'C:\\dir' }],
];

/** They read each of these differently, or one of them not at all. With the line that is named. */
const REFUSED: readonly (readonly [string, number])[] = [
  ['A\n', 1],
  ['A = x\n', 1],
  ['1A=x\n', 1],
  ["'A'=x\n", 1],
  ['A=x y\n', 1],
  ['A=x(y)\n', 1],
  ['A=$x\n', 1],
  ['A=~\n', 1],
  ['export A={a,b}\n', 1],
  ['A=a\\b\n', 1],
  ['A="a\\tb"\n', 1],
  ['A="a\\\nb"\n', 1],
  ["A='it\\'s'\n", 1],
  ["A='x\n", 1],
  ["A=x'y'\n", 1],
  ['A=x\r\n', 1],
  ["A='x\r\ny'\n", 1],
  ['A=x\0y\n', 1],
];

describe('a file of variables', () => {
  test.each(ALIKE)('%j is read as bash and python-dotenv do', async (text, expected) => {
    expect(await envOf(text)).toEqual(expected);
  });

  test('\\n in double quotes is a line feed, as in python-dotenv', async () => {
    expect(await envOf('A="a\\nb"')).toEqual({ A: 'a\nb' });
  });

  test.each(REFUSED)('%j is refused with its line', async (text, line) => {
    const { code, err } = await read(text);
    expect([code, err]).toEqual([2, expect.stringContaining(`--env-from v.env, line ${String(line)}: `)]);
  });
});
