import { get, list, noun } from '../../cli/resource/noun.ts';
import { remove } from '../../cli/resource/noun-writes.ts';
import { countOf } from '../../cli/words.ts';
import { builds } from './builds.ts';
import { explain } from './explain.ts';
import { logs } from './logs.ts';
import { releases } from './releases.ts';
import { rollback } from './rollback.ts';
import { workers } from './workers.ts';
import { create, ENDPOINTS, update } from './write.ts';

export const endpoints = noun('serverless endpoints', {
  list: list(ENDPOINTS, {
    summary: 'list serverless endpoints',
    total: (rows) => countOf(rows.length, 'endpoint'),
    examples: [
      ['berth endpoints list', 'with their workers'],
      ['berth endpoints list -o id', 'the ids alone, one a line'],
    ],
  }),
  get: get(ENDPOINTS, {
    summary: 'show a serverless endpoint',
    examples: [['berth endpoints get echo -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create,
  update,
  delete: remove(ENDPOINTS, {
    summary: 'delete serverless endpoints',
    loses: 'its queued and running jobs',
    examples: [['berth endpoints delete api --yes', 'without a question, for scripts']],
  }),
  workers,
  releases,
  rollback,
  builds,
  logs,
  explain,
});
