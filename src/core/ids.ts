// oxlint-disable-next-line no-control-regex -- they are looked for, and halves of surrogate pairs
const UNUSABLE = /^\.{0,2}$|[\0-\x1f\x7f-\x9f\ud800-\udfff]/u;

/** An id that fails this cannot be a path segment, so no later request can use it. */
export const isUsableId = (text: string): boolean => !UNUSABLE.test(text);

declare const noun: unique symbol;

/** A plain string is not assignable: a word of the command line becomes an id only by a lookup. */
export type Id<N extends string = string> = string & { readonly [noun]: N };

/** Marks a text as an id. Only for a text that is known to be one: from an answer of the service, or a record of one. */
export const asId = <N extends string>(text: string): Id<N> => text as Id<N>;
