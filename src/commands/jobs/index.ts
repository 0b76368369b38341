import { noun } from '../../cli/resource/noun.ts';

export const jobs = noun('run, follow, cancel and retry jobs on an endpoint', {
  run: async () => (await import('./run.ts')).run,
  status: async () => (await import('./status.ts')).status,
  stream: async () => (await import('./stream.ts')).stream,
  cancel: async () => (await import('./cancel.ts')).cancel,
  retry: async () => (await import('./retry.ts')).retry,
  wait: async () => (await import('./wait.ts')).wait,
  recent: async () => (await import('./recent.ts')).recent,
  explain: async () => (await import('./explain.ts')).explain,
  batch: async () => (await import('../batch/index.ts')).batch,
});
