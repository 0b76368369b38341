/** Splits a command line as a shell does: words, single and double quotes. Enough for the commands in the documents. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_, single: string | undefined, double: string | undefined) => single ?? double?.replace(/\\(.)/g, '$1') ?? '',
    ),
  );
}
