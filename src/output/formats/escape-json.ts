import { safeText, type SafeText } from '../../core/safe-text.ts';

/**
 * The same JSON with every character that could mislead a terminal written as `\uXXXX`: such a character can only
 * stand inside a string. For a terminal alone: elsewhere strings stay as the service wrote them.
 */
export const harmlessJson = (text: string): SafeText =>
  safeText(
    text.replace(/[^\n\u0020-\u007e]/gu, (character) =>
      safeText(character) === character ? character : units(character).map(escaped).join(''),
    ),
    true,
  );

/** The UTF-16 units of a character: JSON names each by itself. */
const units = (character: string): readonly number[] =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
