import { defineCommand } from '../../cli/model/command.ts';
import { copyToOutput } from './streams.ts';
import { parseVolumeAddress } from './file-address.ts';
import { PLACE } from './ls.ts';

export const cat = defineCommand({
  summary: 'print a file of a network volume',
  details: 'The bytes are printed as they are; on a terminal, control characters are shown and not obeyed.',
  args: { place: PLACE },
  examples: [['berth files cat datasets:inputs/items.jsonl', 'without a copy of it here']],
  run: async (ctx, { place }) => {
    await copyToOutput(ctx, parseVolumeAddress(place));
    return { kind: 'nothing' };
  },
});
