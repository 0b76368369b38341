/** Files of variables: `NAME=VALUE` lines, as in a .env file. */
import { parseEnv } from 'node:util';
import { usage } from '../../core/failure.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';

/** A file that a flag names. */
export interface VariableFile {
  readonly flag: string;
  readonly path: string;
}

/**
 * Reads files of `NAME=VALUE` lines, with quotes and comments as in a .env file. Fails with usage (2) for another line, for a
 * name that has several values, and as the reads do.
 */
export async function readVariableFiles(
  ctx: CommandContext,
  files: readonly VariableFile[],
): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  const read: (VariableFile & { readonly variables: ReadonlyMap<string, string> })[] = [];
  for (const file of files) {
    const variables = await readVariables(ctx, file);
    for (const { flag, path, variables: earlier } of read) {
      const both = [...variables.keys()].filter((name) => earlier.has(name));
      if (both.length > 0)
        throw usage(`${flag} ${path} and ${file.flag} ${file.path} both give ${both.join(', ')}`, ONE_VALUE);
    }
    read.push({ ...file, variables });
    for (const [name, value] of variables) all.set(name, value);
  }
  return all;
}

const ONE_VALUE = 'A variable has one value: keep one of them.';

/** Reads one file, as `readVariableFiles` does. */
export async function readVariables(
  ctx: CommandContext,
  { flag, path }: VariableFile,
): Promise<ReadonlyMap<string, string>> {
  const text = utf8Text(await ctx.files.read(path), `${flag} ${path}`, 'Save it as UTF-8.');
  const variables = new Map(Object.entries(parseEnv(text) as Readonly<Record<string, string>>));
  const wrong = [...variables.keys()].find((name) => !/^[A-Za-z_][\w.-]*$/.test(name));
  if (wrong !== undefined)
    throw usage(
      `${flag} ${path} has a line that is not NAME=VALUE: ${JSON.stringify(wrong.split('\n', 1)[0])}`,
      'One variable a line, as in a .env file.',
    );
  const twice = namesGivenTwice(text);
  if (twice.length > 0) throw usage(`${flag} ${path} gives ${twice.join(', ')} twice`, ONE_VALUE);
  return variables;
}

/** The names that have several values. */
function namesGivenTwice(text: string): readonly string[] {
  const names: string[] = [];
  // `parseEnv` keeps the last value of a name: each line that may be a variable gets a name of its own first.
  const numbered = text.replace(
    /^([ \t]*(?:export[ \t]+)?)([A-Za-z_][\w.-]*)(?=[ \t]*=)/gm,
    (_, before: string, name: string) => `${before}N${names.push(name) - 1}`,
  );
  const found = Object.keys(parseEnv(numbered)).map((key) => names[Number(key.slice(1))] ?? key);
  return [...new Set(found.filter((name, at) => found.indexOf(name) < at))];
}
