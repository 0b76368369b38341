import { memberAt, numberOf } from '../../core/json.ts';
import { usage } from '../../core/failure.ts';
import { defineGroup } from '../../cli/command.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { getCommand, listCommand, type Resource } from '../../cli/resource/read.ts';
import { createCommand, deleteCommand, updateCommand } from '../../cli/resource/write.ts';
import * as collections from '../shared/collections.ts';
import { createSpec } from './create.ts';
import { VOLUME_TABLE, volumeView } from './fields.ts';
import { usersOf } from './users.ts';

const VOLUMES: Resource = { ...collections.VOLUMES, view: volumeView };

const update = updateCommand(VOLUMES, 'volumes', {
  summary: 'rename a network volume, or let it grow',
  details: 'A volume never shrinks; its data center and type are for good.',
  ...bodyOf(VOLUME_TABLE, 'update'),
  setExample: 'size=200',
  check: async (body, read) => {
    const size = numberOf(body['size']);
    if (size === undefined) return;
    const before = read === undefined ? undefined : numberOf(memberAt(await read(), 'size'));
    if (before !== undefined && size < before)
      throw usage(
        `--size: a volume never shrinks; it has ${String(before)} GB`,
        'Create a smaller one and copy the data.',
      );
  },
  examples: [['berth volumes update checkpoints --size 1000', 'let it grow to 1000 GB']],
});

export const volumes = defineGroup('network volumes', {
  list: listCommand(VOLUMES, {
    summary: 'list network volumes',
    examples: [
      ['berth volumes list', 'with what each costs a month'],
      ['berth volumes list -o csv', 'for a spreadsheet'],
    ],
  }),
  get: getCommand(VOLUMES, {
    summary: 'show a network volume',
    examples: [
      ['berth volumes get datasets', 'by its name'],
      ['berth volumes get vol-datasets --json', 'as the service sends it'],
    ],
  }),
  create: createCommand(VOLUMES, 'volumes', createSpec),
  update,
  delete: deleteCommand(VOLUMES, 'volumes', {
    summary: 'delete network volumes and the data on them',
    examples: [['berth volumes delete scratch --yes', 'without a question, for scripts']],
    loss: 'The data on it is destroyed.',
    users: usersOf,
  }),
});
