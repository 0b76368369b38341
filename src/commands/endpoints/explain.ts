import { defineCommand } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import {
  EXIT_STATUS_OPTION,
  EXPLAIN_DETAILS,
  EXPLAIN_EXITS,
  SAMPLE_OPTION,
  verdictSchema,
} from '../explain/verdict.ts';
import { TEXT } from '../../cli/model/output-schema.ts';

export const explain = defineCommand({
  output: verdictSchema({ endpoint: TEXT }),
  summary: 'say whether an endpoint works, or why not and what to do',
  details: EXPLAIN_DETAILS,
  args: { id: arg.text('endpoint id or name', { metavar: 'ENDPOINT' }) },
  options: { ...SAMPLE_OPTION, ...EXIT_STATUS_OPTION },
  exits: EXPLAIN_EXITS,
  examples: [
    ['berth endpoints explain echo', 'is it healthy?'],
    ['berth endpoints explain echo --exit-status --json --jq .code', 'for a script: the cause, and 10 when blocked'],
  ],
  // Loaded here: the other verbs do not need it.
  run: async (ctx, values) => (await import('./explain-endpoint.ts')).explainEndpoint(ctx, values),
});
