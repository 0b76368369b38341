import { defineGroup } from '../../cli/model/command.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, resourceOf } from '../../cli/resource/read.ts';
import { createCommand, updateCommand } from '../../cli/resource/write.ts';
import * as collections from '../../cli/resource/collections.ts';
import { readWorkersRate, remainingAfterDelete, totalWithAccount } from '../../cli/money/account-line.ts';
import { rateWithUnknown } from '../../cli/money/hourly-cost.ts';
import { builds } from './builds.ts';
import { explain } from './explain.ts';
import { ENDPOINT_TABLE } from './fields.ts';
import { logs } from './logs.ts';
import { releases } from './releases.ts';
import { workers } from './workers.ts';
import { createSpec, updateSpec } from './write.ts';

const ENDPOINTS = resourceOf(collections.ENDPOINTS, ENDPOINT_TABLE);

export const endpoints = defineGroup('serverless endpoints', {
  list: listCommand(ENDPOINTS, {
    summary: 'list serverless endpoints',
    total: totalWithAccount('endpoint'),
    examples: [
      ['berth endpoints list', 'with their workers'],
      ['berth endpoints list -o id', 'the ids alone, one a line'],
    ],
  }),
  get: getCommand(ENDPOINTS, {
    summary: 'show a serverless endpoint',
    examples: [['berth endpoints get echo -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: createCommand(ENDPOINTS, 'endpoints', createSpec),
  update: updateCommand(ENDPOINTS, 'endpoints', updateSpec),
  delete: deleteCommand(ENDPOINTS, 'endpoints', {
    summary: 'delete serverless endpoints',
    examples: [['berth endpoints delete api --yes', 'without a question, for scripts']],
    loss: 'Its queued and running jobs are cancelled.',
    saving: async (ctx, rows) => `It saves ${rateWithUnknown(await readWorkersRate(ctx, rows))}.`,
    remaining: remainingAfterDelete,
  }),
  workers,
  releases,
  builds,
  logs,
  explain,
});
