import { idArgument } from '../../cli/resource/arguments.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { explainCommand } from '../explain/command.ts';

export const explain = explainCommand({
  summary: 'say whether an endpoint works, or why not and what to do',
  args: { id: idArgument(ENDPOINTS) },
  examples: [
    ['berth endpoints explain echo', 'is it healthy?'],
    ['berth endpoints explain echo --exit-status --json --jq .code', 'for a script: the cause, and 10 when blocked'],
  ],
  about: ['endpoint'],
  read: async (ctx, { id }) => (await import('../explain/reads.ts')).readEndpoint(ctx, id),
});
