import { usage } from '../../../core/failure.ts';
import { splitPlace } from '../../shared/paths/split-place.ts';

/** A place of a copy: in a pod, or on this machine. */
export type Place =
  | { readonly kind: 'pod'; readonly pod: string; readonly path: string }
  | { readonly kind: 'local'; readonly path: string };

const FORMS = 'Write POD:PATH for a file in a pod, ./NAME for a local file with a colon in its name.';

/**
 * Parses `POD:PATH`, or a local path. A path in a pod is absolute, or relative to the home folder; without one, or with `~/`, it is
 * the home folder. Fails with usage (2).
 */
function parsePlace(text: string): Place {
  if (text === '') throw usage('a place is empty', FORMS);
  if (text === '-') throw usage('- is no place to copy from or to', 'Name a file.');
  const place = splitPlace(text);
  if (place === undefined) return { kind: 'local', path: text };
  if (place.name === '') throw usage(`${JSON.stringify(text)} names no pod`, FORMS);
  const path = place.path.replace(/^~(\/+|$)/, '');
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path))
    throw usage(`${JSON.stringify(text)} cannot be used: a path has no control characters`, FORMS);
  return { kind: 'pod', pod: place.name, path: path === '' ? './' : path };
}

/** The sources, and the target, the last word. Fails with usage (2) where none of them is in a pod. */
export function sourcesAndTarget(words: readonly string[]): readonly [readonly Place[], Place] {
  const all = words.map(parsePlace);
  const target = all.at(-1);
  if (target === undefined || all.length < 2)
    throw usage('a copy needs a source and a target', 'The last place is the target.');
  if (!all.some(({ kind }) => kind === 'pod')) throw usage('none of the places is in a pod', FORMS);
  return [all.slice(0, -1), target];
}
