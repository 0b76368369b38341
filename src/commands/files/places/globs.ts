import type { VolumeFiles } from '../../../core/ports/volume-files.ts';
import { compilePathGlob } from '../../../core/text/patterns/path-glob.ts';
import { addressText, type VolumeAddress } from './file-address.ts';
import { notThere } from './file-failures.ts';
import { filesBelow, lookOnVolume } from './open-volume.ts';

/**
 * The places on a volume that an address with a pattern of a shell stands for (`*`, `?`, `[a-c]`, `{a,b}`, `**` for any
 * folders), in the order of their names; the address itself where it has no pattern, or something has that name. A pattern
 * that ends with a slash matches folders only. Fails with not-found (4) where nothing matches.
 */
export async function expandPlace(volume: VolumeFiles, address: VolumeAddress): Promise<readonly VolumeAddress[]> {
  const { path } = address;
  const first = path.search(/[*?[{]/);
  if (first < 0 || (await lookOnVolume(volume, address)) !== undefined) return [address];
  const folder = path.slice(0, path.lastIndexOf('/', first) + 1);
  const ends = path.endsWith('/') ? '/' : '';
  const pattern = ends === '' ? path : path.slice(0, -1);
  const matches = compilePathGlob(pattern, addressText(address));
  const found = new Set<string>();
  if (/\*\*|\{[^}]*\//.test(pattern)) {
    for await (const { key } of filesBelow(volume, folder)) if (ends === '' && matches(key)) found.add(key);
  } else await search(folder, pattern.slice(folder.length).split('/').length);
  if (found.size === 0) throw notThere(addressText(address));
  return [...found].sort().map((key) => ({ ...address, path: key }));

  /** Looks at as many levels of folders as the pattern has. */
  async function search(within: string, levels: number): Promise<void> {
    const parts = pattern.split('/').slice(0, within.split('/').length).join('/');
    const leads = levels > 1 ? compilePathGlob(parts, addressText(address)) : matches;
    for await (const { kind, key } of await volume.folder(within)) {
      const name = kind === 'folder' ? key.slice(0, -1) : key;
      if (!leads(name)) continue;
      if (levels > 1) {
        if (kind === 'folder') await search(key, levels - 1);
      } else if (kind === 'folder') found.add(`${name}${ends}`);
      else if (ends === '') found.add(key);
    }
  }
}
