import { defineGroup } from '../../cli/command.ts';
import { getCommand, listCommand, type Resource } from '../../cli/resource/read.ts';
import { createCommand, deleteCommand, updateCommand } from '../../cli/resource/write.ts';
import * as collections from '../shared/collections.ts';
import { endpointView } from './fields.ts';
import { explain } from './explain.ts';
import { logs } from './logs.ts';
import { releases } from './releases.ts';
import { workers } from './workers.ts';
import { createSpec, updateSpec } from './write.ts';

const ENDPOINTS: Resource = { ...collections.ENDPOINTS, view: endpointView };

export const endpoints = defineGroup('serverless endpoints', {
  list: listCommand(ENDPOINTS, { summary: 'list serverless endpoints' }),
  get: getCommand(ENDPOINTS, {
    summary: 'show a serverless endpoint',
    examples: [['berth endpoints get ENDPOINT -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: createCommand(ENDPOINTS, 'endpoints', createSpec),
  update: updateCommand(ENDPOINTS, 'endpoints', updateSpec),
  delete: deleteCommand(ENDPOINTS, 'endpoints', {
    summary: 'delete serverless endpoints',
    loss: 'Its queued and running jobs are cancelled.',
  }),
  workers,
  releases,
  logs,
  explain,
});
