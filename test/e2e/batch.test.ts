import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berthPath, cleanEnvironment, temporaryFolder } from './support.ts';
import { hasTerminal, inTerminal } from './terminal.ts';

describe.skipIf(!hasTerminal)('a batch in a terminal of 80 columns', () => {
  test('shows a bar with its counts on one line, and ends with the counts', async () => {
    const folder = await temporaryFolder();
    const [input, out] = [path.join(folder, 'in.jsonl'), path.join(folder, 'out.jsonl')];
    await writeFile(input, Array.from({ length: 450 }, (_, at) => `{"n":${String(at)}}\n`).join(''));
    const batch = [berthPath(), 'jobs', 'batch', 'run', 'echo', '--input', input, '--out', out, '--rate', '50'];
    const env = await cleanEnvironment();
    const terminal = await inTerminal({ columns: 80, rows: 24 }, ['local', 'exec', '--', ...batch], env);
    const start = await terminal.waitFor(/0%.*in flight/);
    expect(start.split('\n').filter((line) => line.includes('in flight'))).toHaveLength(1);
    const middle = await terminal.waitFor(/█+░+ [1-9]\d%.* done.*\/s {2}.*left/);
    for (const line of middle.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const end = await terminal.waitFor('ended 0');
    expect(end).toMatch(/planned\s+450\ncompleted\s+450/);
    expect(end).not.toContain('░');
  });
});
