import {
  addressText,
  expandPlace,
  findOnVolume,
  isFolderFailure,
  openVolume,
  parseVolumeAddress,
  type VolumeAddress,
} from './address.ts';
import { PLACE } from './ls.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { VolumeFile } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';

export const cat = defineCommand({
  summary: 'print a file of a network volume',
  details: 'Prints the bytes as they are; on a terminal, control characters are escaped.',
  args: { place: PLACE },
  examples: [['berth files cat datasets:inputs/items.jsonl', 'without a copy of it here']],
  run: async (ctx, { place }) => {
    await copyToOutput(ctx, parseVolumeAddress(place));
    return { kind: 'nothing' };
  },
});

/** Usage (2) for a folder. */
export async function copyToOutput(ctx: CommandContext, place: VolumeAddress): Promise<void> {
  const volume = await openVolume(ctx, place.volume);
  const files: VolumeFile[] = [];
  for (const address of await expandPlace(volume, place)) {
    const found = await findOnVolume(volume, address);
    const text = addressText(address);
    if (found.kind === 'folder') throw isFolderFailure(text, sentence`List it: ${berth`files ls ${text}`}`);
    files.push(found.file);
  }
  for (const file of files) for await (const chunk of volume.read(file)) await ctx.rawOutput.write(chunk);
}
