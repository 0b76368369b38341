import { safeText } from '../../core/safe-text.ts';

/** HTML text. Only `html` and `trustedHtml` make it. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute in quotes; characters that mislead a reader become visible. */
const escapeHtml = (text: string): string =>
  safeText(text, true).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** HTML that berth or a library made itself, such as a chart. */
export const trustedHtml = (text: string): Html => ({ html: text });

type HtmlValue = string | number | Html | readonly Html[];

/** Template tag for HTML: each value is escaped, unless it is HTML already. */
export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = (value: HtmlValue): string => {
    if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
    return 'html' in value ? value.html : value.map((each) => each.html).join('');
  };
  return { html: literals.map((literal, at) => (at === 0 ? '' : text(values[at - 1] ?? '')) + literal).join('') };
}

/** A value as a data block that scripts cannot break out of: `<` is escaped. */
export const jsonBlock = (id: string, json: string): Html =>
  trustedHtml(`<script type="application/json" id="${id}">${json.replaceAll('<', '\\u003c')}</script>`);
