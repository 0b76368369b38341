import { usage } from '../../../core/failure.ts';
import { splitPlace } from '../../shared/paths/split-place.ts';

/** A place of files: on a volume, on this machine, or the standard stream. */
export type FileAddress =
  | { readonly kind: 'volume'; readonly volume: string; readonly path: string }
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'stream' };

/** An address on a volume. `path` has no slash at the beginning; empty for the volume itself. */
export type VolumeAddress = Extract<FileAddress, { kind: 'volume' }>;

const FORMS = 'Write VOLUME:PATH for a file on a volume, ./NAME for a local file with a colon in its name.';

/**
 * Parses an address: `VOLUME:PATH`, a local path, or `-`. What has a slash before its colon, or is a drive of Windows, is a
 * local path. Fails with usage (2) for a path that names no file of a volume.
 */
export function parseFileAddress(text: string): FileAddress {
  if (text === '-') return { kind: 'stream' };
  if (text === '') throw usage('an address is empty', FORMS);
  const place = splitPlace(text);
  if (place === undefined) return { kind: 'local', path: text };
  const { name, path } = place;
  if (name === '') throw usage(`${JSON.stringify(text)} names no volume`, FORMS);
  return { kind: 'volume', volume: name, path: volumePath(path, text) };
}

/** Whether a place that is given is on a volume. Fails with usage (2) as parsing does. */
export const isOnVolume = (text: string | undefined): boolean =>
  text !== undefined && parseFileAddress(text).kind === 'volume';

/** Parses an address on a volume. Fails with usage (2) for any other. */
export function parseVolumeAddress(text: string): VolumeAddress {
  // The volume alone is its whole content.
  const address = parseFileAddress(/^[^:/\\]+$/.test(text) && text !== '-' ? `${text}:` : text);
  if (address.kind !== 'volume') throw usage(`${JSON.stringify(text)} is not on a volume`, FORMS);
  return address;
}

export const addressText = ({ volume, path }: Pick<VolumeAddress, 'volume' | 'path'>): string => `${volume}:${path}`;

/** The path as a key: no slash at the beginning, none twice. A slash at the end stays: it says that a folder is meant. */
function volumePath(path: string, text: string): string {
  const key = path.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
  if (key.split('/').some((part) => part === '.' || part === '..') || key.includes('\0'))
    throw usage(`${JSON.stringify(text)} cannot be used: a path on a volume has no "." or ".." between slashes`, FORMS);
  return key;
}

/** The key of a folder with the slash that ends it; empty for the volume itself. */
export const folderKey = (path: string): string => (path === '' || path.endsWith('/') ? path : `${path}/`);
