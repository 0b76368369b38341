import { berth, sentence } from '../../core/message.ts';
import type { VolumeFile } from '../../core/ports/volume-files.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { parseVolumeAddress, addressText } from './places/address.ts';
import { isFolderFailure } from './places/file-failures.ts';
import { PLACE } from './ls.ts';
import { expandPlace } from './places/globs.ts';
import { findOnVolume, openVolume } from './places/open-volume.ts';

/** `berth files cat`: prints a file of a volume. */
export const cat = defineCommand({
  summary: 'print a file of a network volume',
  details: 'The bytes are printed as they are; on a terminal, control characters are shown and not obeyed.',
  args: { place: PLACE },
  examples: [['berth files cat datasets:inputs/items.jsonl', 'without a copy of it here']],
  run: async (ctx, { place }) => {
    const named = parseVolumeAddress(place);
    const volume = await openVolume(ctx, named.volume);
    const files: VolumeFile[] = [];
    for (const address of await expandPlace(volume, named)) {
      const found = await findOnVolume(volume, address);
      if (found.kind === 'folder') {
        const shown = addressText(address);
        throw isFolderFailure(shown, sentence`See what is in it: ${berth`files ls ${shown}`}`);
      }
      files.push(found.file);
    }
    for (const file of files) for await (const chunk of volume.read(file)) await ctx.rawOutput.write(chunk);
    return { kind: 'nothing' };
  },
});
