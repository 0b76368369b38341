import { version as installed } from '../../package.json';
import { defineCommand } from '../cli/model/command.ts';
import { ownObject, TEXT } from '../cli/model/output-schema.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { text } from '../output/cells.ts';

export const version = defineCommand({
  summary: 'show the version',
  output: ownObject({ installed: TEXT }),
  examples: [['berth version -o id', 'the number alone']],
  run: async () => {
    const view = { noun: ['version', 'versions'], id: text('installed'), columns: [textColumn('installed')] } as const;
    return { kind: 'one', view, value: { installed } };
  },
});
