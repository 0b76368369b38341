import { expect } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../../src/registry.ts';
import { schemaNameOf } from '../../../src/cli/model/output-schema.ts';
import type { Ran } from '../worlds/run-berth.ts';
import { objectionsTo, SCHEMAS } from './printed-schemas.ts';

/** Flags that make the output another one than that of the schema. */
const OTHER_OUTPUT = ['--fields', '--jq', '--help'];

/** Commands that print documents of berth's own, which do not depend on what a server sends. */
const OWN_DOCUMENTS = ['jobs batch', 'local', 'auth', 'config', 'limits', 'doctor', 'help', 'schema'];

/**
 * Checks a run with `--json` against the published schemas: the error on stderr; and stdout where the local service of
 * this process answered, because a scripted server sends what its test wants, or where the document is berth's own.
 */
export async function checkAgainstSchemas(
  argv: readonly string[],
  ran: Pick<Ran, 'code' | 'out' | 'err'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (ran.code !== 0) expectErrorSchema(ran);
  const isFiltered = OTHER_OUTPUT.some((flag) => argv.some((word) => word.startsWith(flag)));
  if (ran.out === '' || isFiltered) return;
  const parsed = await parseCommandLine(argv, { nouns: NOUNS, flags: FLAGS });
  if ('failure' in parsed) return;
  const command = schemaNameOf(parsed.path);
  const isLocal = argv.includes('--local') || env['BERTH_LOCAL'] === '1';
  if (!isLocal && !OWN_DOCUMENTS.some((own) => `${command} `.startsWith(`${own} `))) return;
  if (SCHEMAS.has(command)) expectOutputSchema(command, ran);
}

/** Checks the error of a run, if there is one. Returns whether there is. */
export function expectErrorSchema({ err }: Pick<Ran, 'err'>): boolean {
  const lastLine = err.trimEnd().split('\n').at(-1) ?? '';
  if (!lastLine.startsWith('{"error":')) return false;
  expectSchema('error', JSON.parse(lastLine));
  return true;
}

/** Checks each document that a command printed. Returns how many there were. */
export function expectOutputSchema(command: string, { out }: Pick<Ran, 'out'>): number {
  const documents = out === '' ? [] : documentsOf(out);
  // The schema of this name is for the files that it reads.
  const name = command === 'apply' ? 'apply-results' : command;
  for (const document of documents) expectSchema(name, document);
  return documents.length;
}

/** Checks a run with --json: each document on stdout, and where there is none after a failure, the error on stderr. */
export function expectDocuments(words: string, ran: Ran): void {
  const documents = expectOutputSchema(words, ran);
  const hasError = expectErrorSchema(ran);
  if (ran.code !== 0) expect(documents > 0 || hasError, `${String(ran.code)} ${ran.err}`).toBe(true);
}

/** The document that was printed; with `--watch`, one for each poll, and each on a line. */
function documentsOf(out: string): readonly unknown[] {
  try {
    return [JSON.parse(out)];
  } catch {
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
}

const expectSchema = (name: string, document: unknown): void => {
  expect(objectionsTo(name, document)).toBeUndefined();
};
