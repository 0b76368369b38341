import { type Json, memberAt, numberAt, numberOf, objectOf } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { usage } from '../../core/failure.ts';
import { defineGroup } from '../../cli/model/command.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, resourceOf } from '../../cli/resource/read.ts';
import { createCommand, updateCommand } from '../../cli/resource/write.ts';
import { labelOf } from '../../cli/resource/choose.ts';
import { countOf } from '../../cli/words.ts';
import * as collections from '../../cli/resource/collections.ts';
import { remainingAfterDelete } from '../../cli/money/account-line.ts';
import { createSpec } from './create.ts';
import { VOLUME_TABLE } from './fields.ts';
import { inUseGuard } from './in-use.ts';
import { standardMonthly } from '../../cli/money/hourly-cost.ts';

const VOLUMES = resourceOf(collections.VOLUMES, VOLUME_TABLE);

const update = updateCommand(VOLUMES, 'volumes', {
  summary: 'rename a network volume, or let it grow',
  costs: true,
  details: 'A volume never shrinks; its data center and type are for good.',
  ...bodyOf(VOLUME_TABLE, 'update'),
  setExample: 'size=200',
  check: async (body, read) => {
    const size = numberOf(body['size']);
    if (size === undefined) return;
    const before = read === undefined ? undefined : numberAt(await read(), 'size');
    if (before !== undefined && size < before)
      throw usage(`--size: a volume never shrinks; it has ${before} GB`, 'Create a smaller one and copy the data.');
  },
  raise: async (_, body, readRow) => {
    const size = numberOf(body['size']);
    if (size === undefined) return undefined;
    const before = await readRow();
    if (size <= sizeOf(before)) return undefined;
    const grown = { ...(objectOf(before) ?? {}), size };
    const line = `Volume ${labelOf(before)}: ${sizeOf(before)} GB to ${size} GB, ${monthly([before])} to ${monthly([grown])}. This cannot be undone: a volume never shrinks.`;
    return { line, asks: true };
  },
  examples: [['berth volumes update checkpoints --size 1000', 'let it grow to 1000 GB']],
});

const sizeOf = (row: Json): number => numberAt(row, 'size') ?? 0;
const totalSize = (rows: readonly Json[]): string => String(rows.reduce<number>((sum, row) => sum + sizeOf(row), 0));

/** At standard storage prices. */
function monthly(rows: readonly Json[]): string {
  const standard = rows.reduce<number>((sum, row) => sum + standardMonthly(sizeOf(row)), 0);
  const isHigher = rows.some((row) => memberAt(row, 'type') === 'HIGH_PERFORMANCE');
  return `${isHigher ? 'more than ' : ''}${formatDollars(standard)} a month`;
}

export const volumes = defineGroup('network volumes', {
  list: listCommand(VOLUMES, {
    summary: 'list network volumes',
    total: (rows) => `${countOf(rows.length, 'volume')}, ${totalSize(rows)} GB, ${monthly(rows)}`,
    examples: [
      ['berth volumes list', 'with what each costs a month'],
      ["berth volumes list --match 'data*' --sort -size", 'the largest of some volumes first'],
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
    details:
      'A volume that a pod mounts or an endpoint uses is refused, before anything is sent, unless --force is given. On a terminal its name must be typed.',
    loss: 'The data is destroyed.',
    destroysData: () => true,
    remaining: remainingAfterDelete,
    saving: async (_, rows) => `It saves ${monthly(rows)}.`,
    guard: inUseGuard,
    examples: [
      ['berth volumes delete scratch --yes', 'without a question, for scripts'],
      ["berth volumes delete --match 'scratch-*' --yes", 'several at once'],
    ],
  }),
});
