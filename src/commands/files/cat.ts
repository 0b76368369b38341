import { addressText, findAll, isFolderFailure, parseVolumeAddress, volumeOpener } from './address.ts';
import { PLACE } from './ls.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { berth, sentence } from '../../core/message.ts';

export const cat = defineCommand({
  summary: 'print a file of a network volume',
  details: 'Prints the bytes as they are; on a terminal, control characters are escaped.',
  args: { place: PLACE },
  examples: [['berth files cat datasets:inputs/items.jsonl', 'without a copy of it here']],
  run: async (ctx, { place }) => {
    await copyToOutput(ctx, place);
    return { kind: 'nothing' };
  },
});

/** Usage (2) for a folder. */
export async function copyToOutput(ctx: CommandContext, place: string): Promise<void> {
  const address = parseVolumeAddress(place);
  const volume = await volumeOpener(ctx)(address.volume);
  for (const found of await findAll(volume, address)) {
    const text = addressText(address);
    if (found.kind === 'folder') throw isFolderFailure(text, sentence`List it: ${berth`files ls ${text}`}`);
    for await (const chunk of volume.read(found.file)) await ctx.rawOutput.write(chunk);
  }
}
