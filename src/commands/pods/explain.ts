import { idArgument } from '../../cli/resource/arguments.ts';
import { PODS } from '../../cli/resource/collections.ts';
import { explainCommand } from '../explain/command.ts';
import { isReachable } from './reachable.ts';

export const explain = explainCommand({
  summary: 'say whether a pod runs, or why not and what to do',
  args: { id: idArgument(PODS) },
  examples: [['berth pods explain pod-broken', 'why is it in ERROR, or why does it not start?']],
  about: ['pod'],
  read: async (ctx, { id }) => (await import('../explain/reads.ts')).readPod(ctx, id, isReachable),
});
