import { usage } from '../core/failure.ts';
import { parseDuration } from '../core/units.ts';
import type { Setting } from './table.ts';

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

/** Names that are safe as a member of a file, in a message and on a command line. */
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * A setting's text, checked and in the form it is used in. `where` is what the user knows it as: the flag, the
 * variable, or the profile and its member. Fails with usage (2) where the text cannot be a value of this kind.
 */
export function checkSetting(setting: Setting, text: string, where: string): string {
  switch (setting.kind) {
    case 'address':
      return checkAddress(text.trim(), where);
    case 'duration':
      if (parseDuration(text, setting.bare, where) === 0) throw usage(`${where} must be longer than nothing`);
      return text.trim();
    case 'count':
      if (!/^\d{1,15}$/.test(text.trim()) || Number(text) < setting.least)
        throw usage(`${where} takes a whole number of at least ${String(setting.least)}, not ${JSON.stringify(text)}`);
      return String(Number(text));
    case 'switch':
      return checkSwitch(setting, text, where);
    case 'choice':
      if (!setting.choices.includes(text.trim()))
        throw usage(`${where} is one of ${setting.choices.join(', ')}; ${JSON.stringify(text)} is none of them`);
      return text.trim();
    case 'profile':
      return checkProfileName(text, where);
    case 'text':
    case 'path':
    case 'key':
      return text;
  }
}

/** A profile's name: letters, digits, `.`, `_` and `-`, at most 64. Fails with usage (2). */
export function checkProfileName(text: string, where: string): string {
  if (!PROFILE_NAME.test(text))
    throw usage(
      `${where} cannot be the name of a profile: ${JSON.stringify(text)}`,
      'Use letters, digits, ".", "_" and "-", beginning with a letter or digit.',
    );
  return text;
}

function checkSwitch(setting: Setting, text: string, where: string): string {
  // By its convention any value of NO_COLOR counts.
  if (setting.variable === 'NO_COLOR') return 'true';
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) return 'true';
  if (FALSE.includes(word)) return 'false';
  throw usage(`${where} is on or off; ${JSON.stringify(text)} is neither`, 'Write 1 or 0.');
}

/** What is wrong with an address that no request could mend; how it may carry a key is for the request to decide. */
function checkAddress(text: string, where: string): string {
  const hint = 'Write it like https://api.example.com, with a path if the service has one.';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw usage(`${where} is not an address`, hint);
  if (url.username !== '' || url.password !== '')
    throw usage(`${where} carries a user name or password, which an address must not`, hint);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usage(`${where} is not an http or https address: ${text}`, hint);
  if (url.search !== '' || url.hash !== '' || text.includes('?') || text.includes('#'))
    throw usage(`${where} has a query or a fragment, which an address must not: ${url.origin}${url.pathname}`, hint);
  return text;
}
