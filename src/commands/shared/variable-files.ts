/** Files of variables: `NAME=VALUE` lines, as in a .env file. */
import { usage, type Failure } from '../../core/failure.ts';
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
  const from = `${flag} ${path}`;
  return parseVariables(utf8Text(await ctx.files.read(path), from, 'Save it as UTF-8.'), from);
}

const EMPTY = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=/y;
/** In single quotes, in double quotes, or bare; then a comment or nothing. */
const VALUE =
  /(?:'((?:[^'\\]|\\(?![\\']))*)'|"((?:[^"\\$`]|\\["\\n])*)"|((?:[^\s\p{Cc}'"\\$`;&|<>(){~]|(?<![=:])~)*))[ \t]*(?:(?<=[ \t])#[^\n]*)?(?:\n|$)/uy;

/**
 * Reads the text of a .env file. Fails with usage (2), and the line, for what bash and python-dotenv read differently, so that
 * no value is cut in silence. Only `\n` in double quotes is read as the libraries do: bash keeps it.
 */
function parseVariables(text: string, from: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const twice = new Set<string>();
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    at += found?.[0].length ?? 0;
    return found;
  };
  const refusal = (what: string, hint: string): Failure =>
    usage(`${from}, line ${text.slice(0, at).split('\n').length}: ${what}`, hint);
  at = Math.max(text.search(/[\0\r]/), 0);
  if (at > 0) throw refusal('a carriage return or NUL', 'Save it with line feeds alone, as dos2unix does.');
  while (at < text.length) {
    if (match(EMPTY) !== undefined) continue;
    const name = match(NAME)?.[1];
    if (name === undefined) throw refusal('not NAME=VALUE', 'One variable a line, without spaces around "=".');
    const value = match(VALUE);
    if (value === undefined)
      throw refusal(
        `shells and .env libraries read the value of ${name} differently`,
        `Write it in single quotes: ${name}='VALUE'.`,
      );
    const [, single, double, bare = ''] = value;
    if (variables.has(name)) twice.add(name);
    variables.set(name, single ?? double?.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)) ?? bare);
  }
  if (twice.size > 0) throw usage(`${from} gives ${[...twice].join(', ')} twice`, ONE_VALUE);
  return variables;
}
