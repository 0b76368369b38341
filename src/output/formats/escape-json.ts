import { safeText, type SafeText } from '../../core/safe-text.ts';

/**
 * Replaces every character of a JSON text that could mislead a terminal by its escape `\uXXXX`; such characters occur
 * only in strings. For a terminal alone: elsewhere strings stay as the service sent them.
 */
export const escapeJson = (text: string): SafeText =>
  safeText(
    text.replace(/[^\n\u0020-\u007e]/gu, (character) =>
      safeText(character) === character ? character : codeUnits(character).map(escapeUnit).join(''),
    ),
    true,
  );

/** Returns the UTF-16 code units of a character. JSON escapes each of them separately. */
const codeUnits = (character: string): readonly number[] =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
