/** A Model Context Protocol server: its tools are the commands, run in this process. */
import { Duplex, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { version } from '../../../package.json';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { type Command, defineCommand, type Program } from '../../cli/model/command.ts';
import { type CommandContext, IdCache } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import * as money from '../../cli/money.ts';
import { ofAccount, ofRequest } from '../account/rate.ts';
import { errorOf } from '../../cli/resource/several.ts';
import { accessFailure } from '../../core/access.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { arrayOf, encodeJson, type JsonObject, objectOf, tryDecodeJson } from '../../core/json.ts';
import { hideSecrets } from '../../core/secret-names.ts';
import { type Allowed, ALLOWED, describeTool, type Tool, toolsOf, wordsOf } from './tools.ts';

export const mcp = (program: Program): Command =>
  defineCommand({
    summary: 'serve the commands as tools for an agent, by the Model Context Protocol',
    details: 'On stdin and stdout, for a client that starts it. By default the tools only read.',
    waits: true,
    options: {
      allow: option.choice('what the tools may do (default read)', ALLOWED),
      tools: option.list('groups of tools, such as pods, or all; default: the usual ones', { metavar: 'GROUP' }),
      maxCost: option.dollars("refuse what raises the account's cost an hour above it"),
    },
    examples: [
      ['berth mcp', 'tools that read'],
      ['berth --local mcp --allow destroy', 'everything, on the local service: nothing costs money'],
      ['berth mcp --allow write --max-cost 5', 'tools that create and change, up to $5.00/h'],
    ],
    run: async (ctx, { allow = 'read', tools: groups, maxCost }) => {
      const load = toolsOf(program, groups, allow);
      let loading: ReturnType<typeof load> | undefined;
      const tools = () =>
        (loading ??= load().catch((error: unknown) => {
          loading = undefined;
          throw error;
        }));
      const server = new Server({ name: 'berth', version }, { capabilities: { tools: {} } });
      const call = caller(ctx, allow, maxCost);
      // Before an update may replace the files of the program.
      server.oninitialized = () => void tools().catch(() => undefined);
      server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await tools()).map(describeTool) }));
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
        const { name, arguments: given = {}, _meta: { progressToken } = {} } = params;
        const tool = (await tools()).find((each) => each.name === name);
        if (tool === undefined)
          throw new McpError(ErrorCode.InvalidParams, `no tool ${name}, or --allow and --tools leave it out`);
        let progress = 0;
        return await call(tool, given as JsonObject, signal, (message) => {
          if (progressToken === undefined) return;
          const said = { progressToken, progress: (progress += 1), message };
          void sendNotification({ method: 'notifications/progress', params: said }).catch(() => undefined);
        });
      });
      const input = Readable.from((await ctx.durable()).read('-'), { objectMode: false });
      const output = Duplex.from(async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await ctx.rawOutput.write(chunk).catch(() => undefined);
      });
      try {
        await server.connect(new StdioServerTransport(input, output));
        await finished(input);
        return { kind: 'nothing' };
      } catch (error) {
        if (isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
        throw error;
      } finally {
        await server.close();
      }
    },
  });

/** Runs the command of a tool. Where there is a limit, calls that cost wait for each other. */
function caller(ctx: CommandContext, allow: Allowed, maxHourly: number | undefined) {
  const level = allow === 'destroy' ? 'full' : allow;
  const access = accessFailure(level, ctx.settings) ? ctx.settings.get('access') : level;
  const env = { BERTH_ACCESS: access, BERTH_NO_INPUT: '1' };
  const { account } = ctx.settings.accountWords;
  let turn: Promise<unknown> = Promise.resolve();
  return async (tool: Tool, given: JsonObject, signal: AbortSignal, onProgress: (message: string) => void) => {
    let errors = '';
    const onError = (text: string): void => {
      errors += text;
      if (!text.startsWith('{')) onProgress(text.trim());
    };
    const run = (values: JsonObject) =>
      ctx.runAgain([...account, '--json', ...wordsOf(tool, values)], { env, signal, onError });
    const runWithin = async (most: number) => {
      const planned = await run({ ...given, 'dry-run': true });
      if (planned.code !== 0) return planned;
      await requireCost(ctx, planned.out, most);
      return await run(given);
    };
    try {
      const isLimited = maxHourly !== undefined && tool.command.costs === true && given['dry-run'] !== true;
      // Two that raise the cost at once would both fit below the limit.
      const running = isLimited ? turn.then(() => runWithin(maxHourly)) : run(given);
      if (isLimited) turn = running.catch(() => undefined);
      const { code, out } = await running;
      return resultOf(ctx, tool, code, out, errors);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return resultOf(ctx, tool, error.exit, '', encodeJson({ error: errorOf(error, ctx.settings) }));
    }
  };
}

/** The document; or the error object of the last line of stderr, and the document where there is one; of a program, all it said. */
function resultOf({ output }: CommandContext, { command }: Tool, code: number, out: string, errors: string) {
  const document = command.exitsAsProgram === true ? undefined : tryDecodeJson(out);
  const result = document && hideSecrets(document, output.isSecret ?? (() => false));
  const last = objectOf(tryDecodeJson(errors.trimEnd().split('\n').at(-1) ?? ''));
  const error = last?.['error'] === undefined ? undefined : last;
  const all = error === undefined ? result : { ...error, exitCode: code, ...(result && { result }) };
  const text = all === undefined ? out + errors : encodeJson(all);
  const answer = { content: [{ type: 'text' as const, text }], _meta: { exitCode: code } };
  if (error !== undefined) return { ...answer, isError: true };
  const given: unknown = all === undefined ? null : JSON.parse(text);
  return command.output === undefined ? answer : { ...answer, structuredContent: { result: given } };
}

/** By what a dry run printed. Limit-exceeded (15) where the account would cost more, or the cost is not known. */
async function requireCost(context: CommandContext, printed: string, maxHourly: number): Promise<void> {
  const ctx = { ...context, ids: new IdCache() };
  const requests = tryDecodeJson(printed) ?? [];
  const added = await Promise.all(
    (arrayOf(requests) ?? [requests]).map((each) => ofRequest(ctx, objectOf(each) ?? {})),
  );
  const isKnown = added.every(({ hourly }) => hourly !== undefined);
  const total = money.sum([await ofAccount(ctx), ...added]).hourly?.high ?? 0;
  if (isKnown && total <= maxHourly) return;
  const then = isKnown ? `to ${money.dollarsPerHour(total)}` : 'by an unknown amount';
  const message = `this would raise the account's cost ${then}, and --max-cost is ${money.dollarsPerHour(maxHourly)}: nothing was sent`;
  const hint = 'Stop something first, or ask a person for a higher limit.';
  throw new Failure({ code: 'limit-exceeded', exit: EXIT.limitExceeded, message, hint });
}
