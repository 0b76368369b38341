import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { mapOf, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option, type ValuesOf } from '../../cli/model/params.ts';
import { clock, membersView, pods, reset, sendControl, status } from './control.ts';
import { fault } from './fault.ts';
import { stock } from './stock.ts';
import type { LocalAddress, LocalServeOptions } from '../../core/context.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import { isInterrupt, usage } from '../../core/failure.ts';
import { type JsonObject, objectAt, stringOf } from '../../core/json.ts';
import { berth, sentence, shellWord } from '../../core/message.ts';
import { say } from '../../core/safe-text.ts';
import { namedValues } from '../../core/text.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { asksForData, type Result } from '../../output/view.ts';
import { checkSetting } from '../../settings/resolve.ts';
import { SETTING } from '../../settings/settings-table.ts';

const PORT = 8181;

const options = {
  state: option.text('keep the state in a file; without it nothing persists', { metavar: 'FILE', complete: 'file' }),
  endpoint: option.texts('serve an endpoint with workers of your own', {
    metavar: 'NAME=SOURCE',
    complete: '=file',
  }),
  python: option.text('the program that runs .py files (default python3)', { metavar: 'PATH', complete: 'file' }),
  workerPrefix: option.text('what the variables of your worker library begin with', { metavar: 'PFX' }),
  reload: option.on('replace workers when a file beside their handler changes'),
  quota: option.list('requests a window, such as minute=60,hour=3000', { metavar: 'WINDOW=N' }),
  noQueueLimits: option.on('no rate limits on the queue operations'),
  streamShape: option.choice('what `stream` answers: the chunks, or {"status", "stream": [chunks]} (default array)', [
    'array',
    'object',
  ]),
  pageSize: option.count('rows a page of a list has at most (default 1000)', 1, { most: 1000 }),
  podKeys: option.choice('what the key of a pod may do (default refused)', ['refused', 'own']),
  secretPrefix: option.text('what the placeholders of secrets begin with (default BERTH)', { metavar: 'PFX' }),
  allowPrivateWebhooks: option.on('let webhooks reach other ports of this machine, and private networks'),
};

const SOURCES = 'docs/guides/workers.md says what SOURCE can be, docs/guides/local-service.md the rest.';

const serve = defineCommand({
  summary: 'serve the local service over HTTP, for SDKs, curl and other programs',
  changesMachine: true,
  waits: true,
  details: `Runs until Ctrl-C. Prints the address on stdout, the settings to use it on stderr. Answers only programs of this machine. ${SOURCES}`,
  options: {
    port: option.count('the port on 127.0.0.1; 0 chooses a free one', 0, { most: 65_535, initial: PORT }),
    ...options,
  },
  examples: [
    ['berth local serve --endpoint upper=./upper.mjs', 'an endpoint `upper` that runs your module'],
    ['berth local serve --endpoint upper=worker.py --reload', 'workers in Python, replaced when you save the file'],
    [`berth local serve --endpoint upper='exec: tr a-z A-Z'`, 'a command for each job'],
  ],
  run: async (ctx, values) => {
    const server = await ctx.localHost.serve({ port: values.port ?? PORT, ...serveOptions(ctx, values) });
    let exit: ExitCode | undefined;
    try {
      await ctx.stdout.write(say`${server.url}\n`);
      await ctx.tell('The local service is running. Ctrl-C stops it. In another shell:');
      for (const line of exportLines(environment(server))) await ctx.tell(`  ${line}`);
      // The open port keeps the process running until the interrupt.
      await untilAborted(ctx.signal, new Promise<never>(() => undefined));
    } catch (error) {
      // An interrupt is the only way to end it, not an error; the exit code names the signal.
      if (!isInterrupt(error)) throw error;
      exit = error.exit;
    } finally {
      await server.stop();
    }
    await ctx.tell('The local service has stopped.');
    return { kind: 'nothing', exit };
  },
});

const exec = defineCommand({
  summary: 'run a command against a local service of its own, then stop it',
  changesMachine: true,
  waits: true,
  exitsAsProgram: true,
  details: `Sets BERTH_BASE_URL and the like, and ends with the exit code of the command. Keeps nothing without --state. ${SOURCES}`,
  args: {
    command: arg.many('the command with its arguments and flags', { complete: 'command' }),
  },
  options,
  examples: [
    ['berth local exec -- npm test', 'the only line that a pipeline needs'],
    ['berth local exec --endpoint up=worker.py -- pytest', 'with a worker of your own'],
  ],
  run: async (ctx, values) => {
    const [command = '', ...args] = values.command;
    const server = await ctx.localHost.serve({ port: 0, ...serveOptions(ctx, values) });
    try {
      return { kind: 'program', code: await ctx.spawn.run(command, args, { env: environment(server) }) };
    } finally {
      await server.stop();
    }
  },
});

/** Empty ones override the settings of the shell. */
const environment = (server: LocalAddress): Readonly<Record<string, string>> => ({
  BERTH_BASE_URL: server.url,
  BERTH_QUEUE_URL: server.url,
  BERTH_REST_URL: server.url,
  BERTH_API_KEY: server.key,
  BERTH_SECRET_PREFIX: server.secretPrefix,
  BERTH_STORAGE_URL: server.url,
  BERTH_STORAGE_ACCESS_KEY: server.storageKey.accessKeyId,
  BERTH_STORAGE_SECRET: server.storageKey.secretAccessKey,
  BERTH_LOCAL: '',
  BERTH_PROFILE: '',
});

function serveOptions(ctx: CommandContext, values: ValuesOf<typeof options>): Omit<LocalServeOptions, 'port'> {
  const { python, reload, pageSize, podKeys, allowPrivateWebhooks, secretPrefix, streamShape = 'array' } = values;
  const quota = namedValues('--quota', values.quota.map(quotaOf));
  return {
    python,
    reload,
    pageSize,
    podKeys,
    allowPrivateWebhooks,
    streamShape,
    ...(values.state === undefined ? {} : { stateFile: values.state }),
    endpoints: namedValues('--endpoint', values.endpoint.map(endpointOf)),
    workerPrefix: workerPrefixOf(ctx, values.workerPrefix),
    ...(values.quota.length === 0 ? {} : { quota }),
    queueLimits: !values.noQueueLimits,
    secretPrefix: secretPrefix === undefined ? undefined : prefixOf('secret-prefix', secretPrefix),
  };
}

/** NAME=SOURCE, or NAME alone if only attached workers serve it. */
function endpointOf(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  // Such as `./worker.py` without its name.
  if (at === text.length - 1 || !/^[^\s=/\\]+$/.test(name) || (at < 0 && /\.[a-z]+$/i.test(name)))
    throw usage(`--endpoint takes NAME=SOURCE or NAME, not ${JSON.stringify(text)}`, '--endpoint upper=./upper.py');
  return [name, at < 0 ? undefined : text.slice(at + 1)];
}

function quotaOf(text: string): readonly [string, number] {
  const [, name = '', count = ''] = /^(minute|hour|day)=([1-9]\d*)$/.exec(text) ?? [];
  if (name === '') throw usage(`--quota takes WINDOW=N, not ${JSON.stringify(text)}`, '--quota minute=60,hour=3000');
  return [name, Number(count)];
}

const prefixOf = (name: 'worker-prefix' | 'secret-prefix', flag: string): string =>
  checkSetting(SETTING[name], flag, `--${name}`);

/** Undefined when neither flag nor settings name one. Usage (2). */
const workerPrefixOf = (ctx: CommandContext, flag: string | undefined): string | undefined =>
  flag === undefined ? ctx.settings.get('worker-prefix') : prefixOf('worker-prefix', flag);

const workerEnv = defineCommand({
  output: () => mapOf(TEXT),
  hidden: true,
  summary: 'print the variables of a worker that you start yourself',
  details:
    'Prints `export` lines for a shell, or an object with --json; each call names another worker. Needs a served local service. --worker-prefix is that of your library: PFX in PFX_WEBHOOK_GET_JOB.',
  args: { endpoint: arg.text('endpoint id or name') },
  options: { workerPrefix: options.workerPrefix },
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
    const answer = await sendControl(ctx, 'GET', ['workers', endpoint], { query: { prefix } });
    return variablesResult(ctx, objectAt(answer.value, 'variables') ?? {});
  },
});

const env = defineCommand({
  output: () => mapOf(TEXT),
  summary: 'print the variables for programs that use a local service that is served',
  options: { port: option.count('the port that it is served at', 1, { most: 65_535, initial: PORT }) },
  examples: [['berth local env', 'eval "$(berth local env)" sets them in a shell']],
  run: async (ctx, { port = PORT }) =>
    variablesResult(ctx, environment(await ctx.localHost.servedAt(`http://127.0.0.1:${port}`))),
});

/** `export` lines for a shell, or an object for programs. */
function variablesResult(ctx: CommandContext, variables: JsonObject): Result {
  if (asksForData(ctx.output)) return { kind: 'one', view: membersView('worker'), value: variables };
  return {
    kind: 'text',
    text: exportLines(variables)
      .map((line) => `${line}\n`)
      .join(''),
  };
}

const exportLines = (variables: JsonObject): readonly string[] =>
  Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(stringOf(value ?? null) ?? '')}`);

export const local = defineGroup(
  'the local service: serve it, move its clock, inject faults',
  { serve, exec, env, 'worker-env': workerEnv, status, reset, clock, fault, stock, pods },
  'The local service is a copy of the service on this machine. With --local, any command runs against it; you need no account. status, reset, clock, fault and stock use the local service that --base-url, BERTH_BASE_URL or the profile names, if that is on this machine (as inside `berth local exec`), and otherwise that of --local.',
);
