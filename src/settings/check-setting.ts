import { parseAddress } from '../core/addresses/http-address.ts';
import { checkStorageAddress } from '../core/addresses/storage-address.ts';
import { usage } from '../core/failure.ts';
import { parseDuration } from '../core/units.ts';
import type { Setting } from './settings-table.ts';

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

/** Names that are safe in JSON, in messages and on a command line. */
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What a variable's name may begin with in any shell. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Checks the text of a setting and returns it in normal form. `where` names its source for messages: the flag, the
 * variable, or the profile and its member. Fails with usage (2) when the text is not a valid value.
 */
export function checkSetting(setting: Setting, text: string, where: string): string {
  switch (setting.kind) {
    case 'address':
      parseAddress(text.trim(), where);
      return text.trim();
    case 'storage-address':
      checkStorageAddress(text, where);
      return text.trim();
    case 'duration':
      if (parseDuration(text, setting.bare, where) === 0) throw usage(`${where} must be more than 0`);
      return text.trim();
    case 'count':
      if (!/^\d{1,15}$/.test(text.trim()) || Number(text) < setting.least)
        throw usage(`${where} takes a whole number of at least ${setting.least}, not ${JSON.stringify(text)}`);
      return String(Number(text));
    case 'switch':
      return checkSwitch(setting, text, where);
    case 'choice':
      if (!setting.choices.includes(text.trim()))
        throw usage(`${where} is one of ${setting.choices.join(', ')}; ${JSON.stringify(text)} is none of them`);
      return text.trim();
    case 'profile':
      return checkProfileName(text, where);
    case 'identifier':
      if (!IDENTIFIER.test(text))
        throw usage(
          `${where} cannot begin the name of a variable: ${JSON.stringify(text)}`,
          'Use letters, digits and "_", beginning with a letter.',
        );
      return text;
    case 'text':
    case 'path':
    case 'key':
      return text;
  }
}

/** Converts a checked text to its value: milliseconds, a number, a boolean, or the text itself. */
export function valueOfSetting(setting: Setting, text: string): string | number | boolean {
  switch (setting.kind) {
    case 'duration':
      return parseDuration(text, setting.bare, setting.name);
    case 'count':
      return Number(text);
    case 'switch':
      return text === 'true';
    case 'address':
    case 'storage-address':
    case 'choice':
    case 'profile':
    case 'identifier':
    case 'text':
    case 'path':
    case 'key':
      return text;
  }
}

/** Checks a profile's name: at most 64 letters, digits, `.`, `_` and `-`. Fails with usage (2). */
export function checkProfileName(text: string, where: string): string {
  if (!PROFILE_NAME.test(text))
    throw usage(
      `${where} cannot be the name of a profile: ${JSON.stringify(text)}`,
      'Use letters, digits, ".", "_" and "-", beginning with a letter or digit.',
    );
  return text;
}

function checkSwitch(setting: Setting, text: string, where: string): string {
  // The convention of NO_COLOR: any value turns colour off.
  if (setting.variable === 'NO_COLOR') return 'true';
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) return 'true';
  if (FALSE.includes(word)) return 'false';
  throw usage(`${where} is on or off; ${JSON.stringify(text)} is neither`, 'Write 1 or 0.');
}
