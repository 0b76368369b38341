import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANINGS } from '../../src/core/exit-codes.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { shellWords } from '../support/text/shell-words.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

const FILE = new URL('../../README.md', import.meta.url);
const readme = readFileSync(FILE, 'utf8');

/** The sessions in the README: `$ berth ...`, then the output on a terminal of 80 columns. */
const SESSION = /^```console\n([\s\S]*?)^```$/gm;

/** A row of a table, without its padding. */
const row = (code: number, meaning: string): RegExp =>
  new RegExp(`^\\| *${String(code)} *\\| *${meaning.replace(/[().]/g, '\\$&')} *\\|$`, 'm');

async function played(session: string): Promise<string> {
  const world = createTestWorld({ tty: { stdout: true, stderr: false }, env: { NO_COLOR: '1' } });
  const lines: string[] = [];
  for (const line of session.split('\n').filter((each) => each.startsWith('$ '))) {
    const { out, err } = await berthIn(world, shellWords(line.slice(2)).slice(1));
    // In all of these sessions, the messages come before the data.
    lines.push(line, (err + out).trimEnd());
  }
  return `${lines.join('\n')}\n`;
}

describe('the README', () => {
  it('shows what berth prints', async () => {
    const sessions = [...readme.matchAll(SESSION)].map(([, session = '']) => session);
    expect(sessions.length).toBeGreaterThan(0);
    const now = await Promise.all(sessions.map(played));
    if (process.env['UPDATE_README'] === '1') {
      let at = 0;
      writeFileSync(
        FILE,
        readme.replace(SESSION, () => `\`\`\`console\n${now[at++] ?? ''}\`\`\``),
      );
      return;
    }
    expect(now).toEqual(sessions);
  });

  it('lists every exit code with the text of the program', () => {
    for (const [code, meaning] of EXIT_MEANINGS) expect(readme).toMatch(row(code, meaning));
  });
});
