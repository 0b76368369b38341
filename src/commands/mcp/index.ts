/** A Model Context Protocol server: its tools are the commands, run in this process. */
import { version } from '../../../package.json';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { type Command, defineCommand, type Program } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { errorOf } from '../../cli/resource/several.ts';
import { dollarsOf, option } from '../../cli/model/params.ts';
import { accessFailure, allowedAccess } from '../../core/access.ts';
import { asError, Failure, isInterrupt } from '../../core/failure.ts';
import { encodeJson, type Json, type JsonObject, objectOf, tryDecodeJson } from '../../core/json.ts';
import { hideSecrets } from '../../core/secret-names.ts';
import { commandsOf } from '../help/describe.ts';
import { requireCost } from './cost-limit.ts';
import { type Allowed, ALLOWED, describeTool, type Tool, toolsOf, wordsOf } from './tools.ts';

export const mcp = (program: Program): Command =>
  defineCommand({
    summary: 'serve the commands as tools for an agent, by the Model Context Protocol',
    details: 'On stdin and stdout, for a client that starts it. By default the tools only read.',
    waits: true,
    options: {
      allow: option.choice('what the tools may do (default read)', ALLOWED),
      tools: option.list('groups of tools, such as pods, or all; default: the usual ones', { metavar: 'GROUP' }),
      maxCost: option.text("refuse what raises the account's cost an hour above it", { metavar: 'DOLLARS' }),
    },
    examples: [
      ['berth mcp', 'tools that read'],
      ['berth --local mcp --allow destroy', 'everything, on the local service: nothing costs money'],
      ['berth mcp --allow write --max-cost 5', 'tools that create and change, up to $5.00/h'],
    ],
    run: async (ctx, { allow = 'read', tools: groups, maxCost }) => {
      const tools = toolsOf(await commandsOf(program), groups, allow);
      const server = new Server({ name: 'berth', version }, { capabilities: { tools: {} } });
      const call = caller(ctx, allow, dollarsOf('maxCost', maxCost));
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describeTool) }));
      server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
        const tool = tools.find(({ name }) => name === params.name);
        if (tool === undefined)
          throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}, or --allow and --tools leave it out`);
        const token = params._meta?.progressToken;
        let progress = 0;
        return await call(tool, (params.arguments ?? {}) as JsonObject, signal, (message) => {
          if (token === undefined) return;
          progress += 1;
          void sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress, message },
          }).catch(() => undefined);
        });
      });
      try {
        await serve(ctx, server);
        return { kind: 'nothing' };
      } catch (error) {
        if (isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
        throw error;
      } finally {
        await server.close();
      }
    },
  });

/** Until stdin ends. */
async function serve(ctx: CommandContext, server: Server): Promise<void> {
  const messages = new ReadBuffer();
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => ctx.rawOutput.write(Buffer.from(`${encodeJson(message as unknown as Json)}\n`)),
    close: () => {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  await server.connect(transport);
  for await (const chunk of (await ctx.durable()).read('-')) {
    messages.append(Buffer.from(chunk));
    for (;;) {
      try {
        const message = messages.readMessage();
        if (message === null) break;
        transport.onmessage?.(message);
      } catch (error) {
        transport.onerror?.(asError(error));
      }
    }
  }
}

type Call = (
  tool: Tool,
  given: JsonObject,
  signal: AbortSignal,
  onProgress: (message: string) => void,
) => Promise<CallToolResult>;

function caller(ctx: CommandContext, allow: Allowed, maxHourly: number | undefined): Call {
  const level = allow === 'destroy' ? 'full' : allow;
  const own = allowedAccess(ctx.settings);
  const env = { BERTH_ACCESS: accessFailure(level, own) === undefined ? level : own.level, BERTH_NO_INPUT: '1' };
  const { account } = ctx.settings.accountWords;
  let turn: Promise<unknown> = Promise.resolve();
  const run = async (words: readonly string[], signal: AbortSignal, onError: (text: string) => void) =>
    await ctx.runAgain([...account, '--json', ...words], { env, signal, onError });
  return async (tool, given, signal, onProgress) => {
    let errors = '';
    const onError = (text: string): void => {
      errors += text;
      if (!text.startsWith('{')) onProgress(text.trim());
    };
    const limited = async () => {
      if (maxHourly !== undefined && tool.command.costs && given['dry-run'] !== true) {
        const planned = await run(wordsOf(tool, { ...given, 'dry-run': true }), signal, onError);
        if (planned.code !== 0) return planned;
        await requireCost(ctx, tryDecodeJson(planned.out) ?? [], maxHourly);
      }
      return await run(wordsOf(tool, given), signal, onError);
    };
    try {
      // Two that raise the cost at once would both fit below the limit.
      const inTurn = maxHourly !== undefined && tool.command.costs;
      const running = inTurn ? turn.then(limited) : limited();
      if (inTurn) turn = running.catch(() => undefined);
      const { code, out } = await running;
      return resultOf(ctx, tool, code, out, errors);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return failed(encodeJson({ error: errorOf(error, ctx.settings), exitCode: error.exit }), error.exit);
    }
  };
}

/** The document; or the error object of the last line of stderr, and the document where there is one. */
function resultOf(
  ctx: CommandContext,
  { command }: Tool,
  exitCode: number,
  out: string,
  errors: string,
): CallToolResult {
  const { isSecret } = ctx.output;
  const document = tryDecodeJson(out);
  const shown = document === undefined || isSecret === undefined ? document : hideSecrets(document, isSecret);
  const text = shown === undefined ? out : encodeJson(shown);
  const error = objectOf(tryDecodeJson(errors.trimEnd().split('\n').at(-1) ?? ''));
  if (error !== undefined) return failed(encodeJson({ ...error, exitCode, ...(shown && { result: shown }) }), exitCode);
  const structured = command.output === undefined ? {} : { structuredContent: { result: shown ?? null } };
  return { content: [{ type: 'text', text }], ...structured, _meta: { exitCode } };
}

const failed = (text: string, exitCode: number): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
  _meta: { exitCode },
});
