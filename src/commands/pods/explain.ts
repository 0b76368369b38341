import { defineCommand } from '../../cli/model/command.ts';
import { TEXT } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { EXIT_STATUS_OPTION, EXPLAIN_DETAILS, EXPLAIN_EXITS, verdictSchema } from '../explain/verdict.ts';

export const explain = defineCommand({
  output: verdictSchema({ pod: TEXT }),
  summary: 'say whether a pod runs, or why not and what to do',
  details: EXPLAIN_DETAILS,
  args: { id: arg.text('pod id or name', { metavar: 'POD' }) },
  options: EXIT_STATUS_OPTION,
  exits: EXPLAIN_EXITS,
  examples: [['berth pods explain pod-broken', 'why is it in ERROR, or why does it not start?']],
  // Loaded lazily: the other verbs do not need it.
  run: async (ctx, { id, exitStatus }) => (await import('./explain-pod.ts')).explainPod(ctx, id, exitStatus),
});
