import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { berthPath, cleanEnvironment, temporaryFolder } from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

const ESCAPE = String.fromCodePoint(0x1b);

describe.skipIf(!hasTerminal)('a batch in a terminal of 80 columns', () => {
  test('shows a bar with its counts on one line, and ends with the counts', async () => {
    const folder = await temporaryFolder();
    const [input, out] = [path.join(folder, 'in.jsonl'), path.join(folder, 'out.jsonl')];
    await writeFile(input, Array.from({ length: 250 }, (_, at) => `{"n":${String(at)}}\n`).join(''));
    const batch = [berthPath(), 'jobs', 'batch', 'run', 'echo', '--input', input, '--out', out, '--rate', '50'];
    const env = await cleanEnvironment();
    const terminal = await inTerminal({ columns: 80, rows: 24 }, ['local', 'exec', '--', ...batch], env);
    const end = await terminal.waitFor('ended 0');
    expect(end).not.toContain('in flight');
    // A slow machine shows some frames between two looks at the screen.
    const lines = terminal
      .printed()
      .split(new RegExp(`[\\r\\n]+|${ESCAPE}\\[\\d*[GKJ]`, 'u'))
      .map(stripVTControlCharacters);
    const bar = (words: RegExp): unknown => expect.arrayContaining([expect.stringMatching(words)]);
    expect(lines).toEqual(bar(/0%.*in flight/));
    // Where a slow machine has more to say, such as retries, the end of the line is cut.
    expect(lines).toEqual(bar(/█+░+ [1-9]\d%.* done/));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(end).toMatch(/planned\s+250\ncompleted\s+250/);
    expect(end).not.toContain('░');
  });
});
