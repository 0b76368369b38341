/** Expands nothing: `$NAME` and `*` stay. `for-a-shell` is for what only a shell could run, such as `|`. */
export async function splitWords(text: string): Promise<readonly string[] | 'open-quote' | 'for-a-shell'> {
  if (/['"]/.test(text.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, ''))) return 'open-quote';
  const { parse } = await import('shell-quote');
  const words: string[] = [];
  for (const word of parse(text, (variable) => `$${variable}`)) {
    if (typeof word === 'string') words.push(word);
    else if ('op' in word && word.op === 'glob') words.push(word.pattern);
    else return 'for-a-shell';
  }
  return words;
}
