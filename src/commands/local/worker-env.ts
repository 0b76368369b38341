import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { mapOf, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { membersView, sendControl } from './control.ts';
import { usage } from '../../core/failure.ts';
import { objectAt, stringOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { asksForData } from '../../output/view.ts';
import { checkSetting } from '../../settings/resolve.ts';
import { settingNamed } from '../../settings/settings-table.ts';

/** Undefined when neither flag nor settings name one. Usage (2). */
export const workerPrefixOf = (ctx: CommandContext, flag: string | undefined): string | undefined =>
  flag === undefined
    ? ctx.settings.get('worker-prefix')
    : checkSetting(settingNamed('worker-prefix'), flag, '--worker-prefix');

const variablesView = membersView('worker');

export const workerEnv = defineCommand({
  output: mapOf(TEXT),
  hidden: true,
  summary: 'print the variables of a worker that you start yourself',
  details:
    'Prints `export` lines for a shell, or an object with --json; each call names another worker. Needs a served local service. --worker-prefix is that of your library: PFX in PFX_WEBHOOK_GET_JOB.',
  args: { endpoint: arg.text('endpoint id or name') },
  options: {
    workerPrefix: option.text('what the variables of your worker library begin with', { metavar: 'PFX' }),
  },
  examples: [
    ['berth local worker-env demo', 'variables to export: eval "$(berth local worker-env demo)"; python handler.py'],
    ['berth local worker-env demo --json', 'for a debugger or a container'],
  ],
  run: async (ctx, { endpoint, workerPrefix }) => {
    if (ctx.settings.local)
      throw usage(
        'a worker needs a local service that is served',
        sentence`Start one: ${berth`local serve`}. Then set BERTH_BASE_URL and BERTH_API_KEY as it prints them.`,
      );
    const prefix = workerPrefixOf(ctx, workerPrefix);
    const path = ['workers', endpoint];
    const answer = await sendControl(ctx, 'GET', path, { query: { prefix }, of: ['endpoint', endpoint] });
    const variables = objectAt(answer.value, 'variables') ?? {};
    if (asksForData(ctx.output)) return { kind: 'one', view: variablesView, value: variables };
    const lines = Object.entries(variables).map(
      ([name, value]) => `export ${name}=${shellQuote(stringOf(value ?? null) ?? '')}\n`,
    );
    return { kind: 'text', text: lines.join('') };
  },
});

const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
