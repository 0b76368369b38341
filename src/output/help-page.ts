/** A page of help, as data: it is laid out for the terminal that shows it. */
export type Page = readonly Block[];

/** `text` is wrapped at spaces; `literal` lines are not, because they are copied: command lines and their output. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'usage'; readonly words: readonly string[] }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly PageRow[] }
  | { readonly kind: 'examples'; readonly title: string; readonly rows: readonly PageRow[] };

export type PageRow = readonly [string, string];
