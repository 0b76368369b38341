/** Tells a command or an address of the user that a wait has ended. */
import { Readable } from 'node:stream';
import { type Command, isAddress, textIn, textsIn, type Values } from './model/command.ts';
import type { CommandContext } from './model/context.ts';
import { webAddress } from '../core/addresses.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, localFile, messageOf, printedFacts } from '../core/failure.ts';
import { encodeJson } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';
import { hideSecrets } from '../core/secret-names.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { isJsonFormat } from '../output/formats/format-table.ts';
import { documentOf } from '../output/formats/json.ts';
import type { Result } from '../output/view.ts';

export interface Ending {
  readonly result?: Result | undefined;
  readonly error?: unknown;
  readonly tookMs: Milliseconds;
}

/** Longer, and a command of the user would hold up its own wait. */
const COMMAND_MS: Milliseconds = 10_000;

/** Never fails: a failed notice is a line on stderr. */
export async function notify(
  ctx: CommandContext,
  target: string,
  [path, { args }, values]: readonly [readonly string[], Pick<Command, 'args'>, Values],
  { result, error, tookMs }: Ending,
): Promise<void> {
  const bug = new Failure({ code: 'bug', exit: EXIT.bug, message: 'this is a bug in berth' });
  const failure = error === undefined ? result?.failure : error instanceof Failure ? error : bug;
  const exitCode = failure?.exit ?? (result?.kind === 'program' ? result.code : (result?.exit ?? EXIT.done));
  const named = Object.keys(args).filter((key) => args[key]?.afterDashes !== true);
  const words = named.flatMap((key) => textIn(values, key) ?? textsIn(values, key));
  const end = exitCode === EXIT.done ? 'done' : `exit code ${String(exitCode)}`;
  const why = failure === undefined ? '' : `: ${failure.message}`;
  const notice = safeText(`berth ${[...path, ...words].join(' ')}: ${end} after ${formatDuration(tookMs)}${why}`);
  const { exit: _, ...facts } = printedFacts((failure ?? bug).facts(), ctx.settings);
  const document = result?.kind === 'one' || result?.kind === 'many' ? documentOf(result, undefined) : null;
  const body = encodeJson({
    notice,
    exitCode,
    durationMs: Math.round(tookMs),
    result: hideSecrets(document, ctx.output.isSecret ?? (() => false)),
    error: failure === undefined ? null : facts,
  });
  try {
    if (isAddress(target)) await ctx.web({ method: 'POST', url: webAddress(target, 'notify').href, body });
    else await runCommand(ctx, target, notice, body);
  } catch (failed) {
    // A failure printed as JSON must be the only output on stderr.
    if (failure === undefined || !isJsonFormat(ctx.output.format))
      await ctx.tell(`notice failed: ${messageOf(failed)}`).catch(() => undefined);
  }
}

async function runCommand(ctx: CommandContext, command: string, notice: string, body: string): Promise<void> {
  const [shell, ...flags] = ctx.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
  const program = await ctx.spawn.start(shell, [...flags, command], {
    env: { BERTH_NOTICE: notice },
    input: Readable.from([Buffer.from(body)]),
    onOutput: () => undefined,
    onError: (bytes) => void ctx.programOutput.err(bytes),
  });
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = ctx.clock.deadline(COMMAND_MS, () => {
      resolve(undefined);
    });
  });
  const code = await Promise.race([program.ended, late]);
  cancel();
  if (typeof code !== 'number') program.stop();
  if (code !== 0) throw localFile(typeof code === 'number' ? `exit code ${code}` : 'the command did not end in 10s');
}
