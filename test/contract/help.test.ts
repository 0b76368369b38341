import { describe, expect, it } from 'vitest';
import type { Command, Group } from '../../src/cli/command.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { berth } from '../support/worlds/run-berth.ts';

/** The path of every command and group of a noun, beginning with the noun itself. */
function places(path: readonly string[], target: Command | Group): readonly (readonly string[])[] {
  const inner = target.kind === 'group' ? Object.entries(target.commands) : [];
  return [path, ...inner.flatMap(([word, each]) => places([...path, word], each))];
}

describe('help', () => {
  it('of berth itself', async () => {
    const { code, out, err } = await berth(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot('../golden/help/berth.txt');
  });

  it.each(['flags', 'exit-codes', 'environment', 'output'])('on %s', async (topic) => {
    const { code, out, err } = await berth(['help', topic]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot(`../golden/help/topic-${topic}.txt`);
  });

  it.each(NOUNS.map((noun) => [noun.name, noun] as const))('of %s and its verbs', async (name, noun) => {
    const target = await noun.load({ nouns: NOUNS, flags: FLAGS });
    const pages: string[] = [];
    for (const path of places([name], target)) {
      const { code, out, err } = await berth([...path, '--help']);
      expect({ path, code, err }).toEqual({ path, code: 0, err: '' });
      // An example is copied as one line, so it is never wrapped.
      const prose = out.split('\n').filter((line) => !/^ {2}\S*(berth|source) /.test(line));
      for (const line of prose) expect(line.length, line).toBeLessThanOrEqual(80);
      if (name !== 'help') expect((await berth(['help', ...path])).out).toBe(out);
      pages.push(out);
    }
    await expect(pages.join('\n----\n\n')).toMatchFileSnapshot(`../golden/help/${name}.txt`);
  });
});
