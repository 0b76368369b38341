import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A fenced block of a page. */
export interface Block {
  /** The word behind the opening fence, such as `sh`; empty when there is none. */
  readonly language: string;
  readonly text: string;
  /** The line of the page where the text begins, from 1. */
  readonly line: number;
  /** The text of a `text` or `json` block that follows a `sh` block at once: what the commands print on stdout. */
  readonly printed?: string;
}

export interface Page {
  /** The path below the root of the project. */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const FENCE = /^( *)```(\S*)\n([\s\S]*?)^\1```$/gm;

/** The fenced blocks of a Markdown text, in order. */
export function blocksOf(text: string): readonly Block[] {
  const found = [...text.matchAll(FENCE)].map((match) => ({
    language: match[2] ?? '',
    text: match[3] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));
  return found.map(({ language, text: inner, start, end }, index) => {
    const line = text.slice(0, start).split('\n').length + 1;
    const next = found[index + 1];
    const isPrinted =
      language === 'sh' &&
      next !== undefined &&
      ['text', 'json'].includes(next.language) &&
      text.slice(end, next.start).trim() === '';
    return { language, text: inner, line, ...(isPrinted ? { printed: next.text } : {}) };
  });
}

/** The pages whose commands run in tests as they are printed. */
export const PAGES: readonly Page[] = [
  'README.md',
  'docs/install.md',
  ...readdirSync(path.join(ROOT, 'docs/guides'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guides/${name}`),
].map((name) => {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  return { name, text, blocks: blocksOf(text) };
});
