import { version as installed } from '../../package.json';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { stringAt, tryDecodeJson } from '../core/json.ts';
import { defineCommand } from '../cli/model/command.ts';
import { ownObject, TEXT, YES_NO } from '../cli/model/output-schema.ts';
import { option } from '../cli/model/params.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { text } from '../output/cells.ts';
import type { View } from '../output/view.ts';

const view: View = {
  noun: ['version', 'versions'],
  id: (row) => text(row, 'installed'),
  columns: [textColumn('installed'), textColumn('published'), textColumn('newer')],
};

const VERSION = /^\d+\.\d+\.\d+$/;

const isNewer = (published: string): boolean => published.localeCompare(installed, 'en', { numeric: true }) > 0;

export const version = defineCommand({
  summary: 'show the version, or compare it with a published one',
  details: 'Nothing is requested without --check: the address of a version.json, of `npm run release-files`.',
  options: { check: option.text('https address of the published version', { metavar: 'URL' }) },
  output: () => ownObject({ installed: TEXT }, { published: TEXT, newer: YES_NO }),
  examples: [['berth version -o id', 'the number alone']],
  run: async (ctx, { check }) => {
    if (check === undefined) return { kind: 'one', view, value: { installed } };
    const published = stringAt(tryDecodeJson(await ctx.web({ method: 'GET', url: check })) ?? null, 'version') ?? '';
    if (!VERSION.test(published))
      throw new Failure({ code: 'web', exit: EXIT.unavailable, message: 'no version such as 1.2.3 in the answer' });
    return { kind: 'one', view, value: { installed, published, newer: isNewer(published) } };
  },
});
