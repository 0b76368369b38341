/** The text without the full stop at its end: for what another program said, after which a message goes on. */
export const withoutFullStop = (text: string): string => text.replace(/[.\s]+$/, '');
