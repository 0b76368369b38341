/**
 * Text that a spreadsheet would run as a formula, or that such text becomes when an apostrophe is taken away. Fullwidth
 * characters count too, and so do a tab and line breaks, behind which a spreadsheet finds the formula.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Puts an apostrophe before text that a spreadsheet would run as a formula. `withoutApostrophe` takes it away again. */
export const withApostrophe = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Returns the text to which `withApostrophe` has added an apostrophe; any other text unchanged. */
export const withoutApostrophe = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
