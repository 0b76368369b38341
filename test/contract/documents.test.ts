import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { EXIT_CODES } from '../../src/core/exit-codes.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { PAGES, ROOT, type Page } from '../support/documents/pages.ts';
import { shellWords } from '../support/text/shell-words.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

const MAX_LINES = { readme: 140, guide: 109 };

/** A session: `$ berth ...` and `$ echo $?`, then what they print on a terminal of 80 columns. */
const SESSION = /^```console\n([\s\S]*?)^```$/gm;
const sessionsOf = (page: Page): readonly string[] =>
  [...page.text.matchAll(SESSION)].map(([, session = '']) => session);

async function played(session: string): Promise<string> {
  const world = createTestWorld({ tty: { stdout: true, stderr: false }, env: { NO_COLOR: '1' } });
  const lines: string[] = [];
  let lastCode = 0;
  for (const line of session.split('\n').filter((each) => each.startsWith('$ '))) {
    if (line === '$ echo $?') lines.push(line, String(lastCode));
    else {
      const { code, out, err } = await berthIn(world, shellWords(line.slice(2)).slice(1));
      lastCode = code;
      // In all of these sessions, the messages come before the data.
      lines.push(line, (err + out).trimEnd());
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The anchors of the headings of a page, as they are made for a link. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The relative links of a page that lead nowhere. */
const brokenLinks = ({ name, text }: Page): readonly string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([link, file = '', anchor]) => {
    const target = file === '' ? path.join(ROOT, name) : path.join(ROOT, path.dirname(name), file);
    if (!existsSync(target)) return [link];
    return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor) ? [] : [link];
  });

/** The commands in running text, such as `berth pods list --watch`. */
const inlineCommands = ({ text }: Page): readonly string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`(berth [a-z][^`]*)`/g)].map(([, line = '']) => line);

describe.each(PAGES.map((page) => [page.name, page] as const))('%s', (name, page) => {
  it('shows what berth prints', async () => {
    const now = await Promise.all(sessionsOf(page).map(played));
    if (process.env['UPDATE_DOCUMENTS'] === '1') {
      let at = 0;
      const text = page.text.replace(SESSION, () => `\`\`\`console\n${now[at++] ?? ''}\`\`\``);
      writeFileSync(path.join(ROOT, name), text);
      return;
    }
    expect(now).toEqual(sessionsOf(page));
  });

  it('has links that lead somewhere', () => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('names commands that exist, with flags that they have', async () => {
    const refused: unknown[] = [];
    for (const line of inlineCommands(page)) {
      const parsed = await parseCommandLine(shellWords(line).slice(1), { nouns: NOUNS, flags: FLAGS });
      if ('failure' in parsed) refused.push([line, parsed.failure.message]);
    }
    expect(refused).toEqual([]);
  });

  it('is short', () => {
    expect(page.text.trimEnd().split('\n').length).toBeLessThanOrEqual(
      name === 'README.md' ? MAX_LINES.readme : MAX_LINES.guide,
    );
  });
});

it('the guide for scripts has the exit codes of the program, in its order', () => {
  const text = PAGES.find(({ name }) => name === 'docs/guides/scripting.md')?.text ?? '';
  const rows = [...text.matchAll(/^\| *(\d+) *\| *(.*?) *\|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(rows).toEqual(EXIT_CODES.map(({ code, meaning }) => [String(code), meaning]));
});

it('docs/dependencies.md has the packages of package.json, each once', () => {
  const page = readFileSync(path.join(ROOT, 'docs/dependencies.md'), 'utf8');
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { devDependencies: object };
  const names = [...page.matchAll(/^\| `(.*?)`/gm)].map(([, name = '']) => name);
  expect(names.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
});
