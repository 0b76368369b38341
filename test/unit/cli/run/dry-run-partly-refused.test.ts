import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../support/worlds/local-account.ts';

/** Dry runs about three things, one of which is refused, and what they say of the two others. */
const LINES = [
  [
    'pods stop pod-train pod-web pod-notebook',
    /^This will stop 2 pods\. It saves \$5\.12 an hour\..*\n/,
    'pod-web: pod pod-web',
  ],
  ['pods restart pod-train pod-web pod-notebook', /^This will restart 2 pods\..*\n/, 'pod-web: pod pod-web'],
  ['pods stop pod-train pod-notebook nothing', /^This will stop 2 pods\. It saves \$5\.12 an hour\..*\n/, 'nothing: '],
  [
    'pods terminate pod-train pod-notebook nothing',
    /^This affects 2 pods, for good: pod-train \(train-llm\), pod-notebook \(.*\)\. It saves \$5\.12 an hour\..*\n/,
    'nothing: ',
  ],
] as const;

describe('a dry run about several of which one is refused says what happens to the others:', () => {
  test.each(LINES)('%s', async (line, said, refused) => {
    const words = line.split(' ').length - 2;
    const account = createAccount();
    const piped = await account(`${line} --dry-run`);
    expect(piped.err).toMatch(said);
    expect(piped.err).toContain(`1 of ${String(words)} did not go through\n  - ${refused}`);
    expect(JSON.parse(piped.out)).toHaveLength(words - 1);
    // On a terminal the requests are shown below it.
    const shown = await account(`${line} --dry-run`, { tty: true, columns: 400 });
    expect([shown.code, shown.err]).toEqual([piped.code, expect.stringMatching(new RegExp(said.source, 'm'))]);
    expect(shown.out).toMatch(/request|METHOD/);
  });

  test.each(LINES)('with --json stderr has the error alone, with --quiet too: %s', async (line) => {
    const account = createAccount();
    expect(JSON.parse((await account(`${line} --dry-run --json`)).err)).toHaveProperty('error');
    expect((await account(`${line} --dry-run --quiet`)).err).toMatch(/^error: /);
  });
});
