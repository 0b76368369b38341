import { get, list, noun } from '../../cli/resource/noun.ts';
import { remove } from '../../cli/resource/noun-writes.ts';
import { countOf } from '../../cli/words.ts';
import { ENDPOINTS } from './fields.ts';

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
  create: async () => (await import('./write.ts')).create,
  update: async () => (await import('./write.ts')).update,
  delete: remove(ENDPOINTS, {
    summary: 'delete serverless endpoints',
    loses: 'its queued and running jobs',
    examples: [['berth endpoints delete api --yes', 'without a question, for scripts']],
  }),
  workers: async () => (await import('./workers.ts')).workers,
  releases: async () => (await import('./releases.ts')).releases,
  rollback: async () => (await import('./rollback.ts')).rollback,
  builds: async () => (await import('./builds.ts')).builds,
  logs: async () => (await import('./logs.ts')).logs,
  explain: async () => (await import('./explain.ts')).explain,
});
