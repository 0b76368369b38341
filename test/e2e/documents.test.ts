import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, type Block } from '../support/documents/pages.ts';
import { runShellBlocks, type RanBlock } from './documents/shell-blocks.ts';
import { berthPath, cleanEnvironmentIn, type Environment } from './support.ts';
import { hasPython } from './workers/support.ts';

const missingPrograms = ['curl', 'duckdb', 'jq'].filter((name) => spawnSync(name, ['--version']).status !== 0);

/** Commands for a shell, also as the steps of a pipeline. */
const isForShell = ({ language, text }: Block): boolean =>
  language === 'sh' || (language === 'yaml' && /^jobs:/m.test(text));

/** Blocks that are run by other tests, or are left out where a program is missing. */
const buildsBerth = ({ text }: Block): boolean => /^(npm|docker) /m.test(text);
const lacks = ({ text }: Block): string | undefined => {
  if (!hasPython && /\.py\b|python3/.test(text)) return 'Python';
  return missingPrograms.find((name) => new RegExp(`\\b${name} `).test(text));
};

/**
 * The environment of a reader who has berth installed and nothing else, in a new folder. Pages name a folder `data` of the
 * reader, which is not that of berth.
 */
const readerEnvironment = (folder: string): Environment => {
  const env: Environment = { ...cleanEnvironmentIn(folder), BERTH_DATA_DIR: path.join(folder, 'data-of-berth') };
  return { ...env, PATH: `${path.dirname(berthPath())}${path.delimiter}${env['PATH'] ?? ''}` };
};

function check(name: string, ran: readonly RanBlock[]): void {
  for (const { block, isDone, stdout, stderr } of ran) {
    const where = `${name}, line ${String(block.line)}`;
    expect({ where, isDone, stderr: isDone ? '' : stderr }).toEqual({ where, isDone: true, stderr: '' });
    if (block.printed !== undefined) expect({ where, stdout }).toEqual({ where, stdout: block.printed });
  }
}

// The commands are for a shell of POSIX.
describe.skipIf(process.platform === 'win32')('the commands of a page run as printed, from its top to its end', () => {
  const pages = PAGES.map(({ name, blocks }) => {
    const ofShell = blocks.filter((block) => isForShell(block) && !buildsBerth(block));
    const missing = [...new Set(ofShell.flatMap((block) => lacks(block) ?? []))];
    if (missing.length > 0)
      console.log(`note: ${missing.join(' and ')} not installed, some blocks of ${name} are left out`);
    return [name, ofShell.filter((block) => lacks(block) === undefined)] as const;
  });

  // Most of the time, the commands wait: for jobs, and for workers that start.
  it.concurrent.each(pages)('%s', async (name, blocks) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'berth-page-'));
    try {
      await mkdir(path.join(folder, 'data'));
      await writeFile(path.join(folder, 'data/rows.csv'), 'a,b\n');
      check(name, await runShellBlocks(blocks, { env: readerEnvironment(folder), cwd: folder }));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
