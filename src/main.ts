import { isLoopback } from './core/address.ts';
import { safeText } from './core/safe-text.ts';
import { EXIT, type ExitCode } from './core/exit-codes.ts';
import { Failure } from './core/failure.ts';
import { toFailure } from './core/load-failure.ts';
import type { Command, Group, Program } from './cli/command.ts';
import { outputOptions, printsJson, type GlobalValues } from './cli/parse/globals.ts';
import { createContext, type HostContext } from './host/context.ts';
import { realWorld, type World } from './host/world.ts';
import { FLAGS, NOUNS } from './registry.ts';

const PROGRAM: Program = { nouns: NOUNS, flags: FLAGS };

/**
 * The process as a run of berth: argv in, exit code out. Every byte has been taken by then, so nothing is waited for:
 * not the farewell of a connection, not a parser that V8 still compiles. `holdProgram` is the launcher's: see World.
 */
export async function main(holdProgram: () => void): Promise<void> {
  // Or Node would open its inspector, by which any user of this machine could read the key.
  process.on('SIGUSR1', () => undefined);
  process.exit(await runCli(process.argv.slice(2), realWorld(holdProgram)));
}

/**
 * berth as a function: a command line and a world in, an exit code out. Prints what the command prints, never throws,
 * and reaches for nothing that the world does not hold.
 */
export async function runCli(argv: readonly string[], world: World): Promise<ExitCode> {
  let globals: GlobalValues = {};
  let context: HostContext | undefined;
  const open = (): HostContext => (context ??= createContext(world, globals));
  try {
    // The root page needs no parser, and is what most people ask for first.
    if (argv.length === 0 || (argv.length === 1 && (argv[0] === '--help' || argv[0] === '-h')))
      return await rootPage(open(), argv.length > 0);
    const { mount } = await import('./cli/parse/mount.ts');
    const read = await mount(argv, PROGRAM);
    globals = read.globals;
    if ('failure' in read) throw read.failure;
    const { target, path, values } = read;
    if (target !== undefined && speaksToLocal(path[0], world)) globals = { ...globals, local: true };
    const ctx = open();
    const asked = globals['help'] === true;
    if (target === undefined) return await rootPage(ctx, asked);
    if (asked || target.kind === 'group') return await page(ctx, path, target, asked);
    const { runCommand } = await import('./cli/run/run.ts');
    return await runCommand(ctx, target, values, outputOptions(globals, ctx.settings.get('output')), path);
  } catch (error) {
    const ctx = open();
    const json = printsJson(globals, () => ctx.settings.get('output'));
    return await lastWord(error, json, ctx);
  } finally {
    await context?.close();
  }
}

async function lastWord(error: unknown, json: boolean, ctx: HostContext): Promise<ExitCode> {
  const failure = toFailure(error);
  try {
    const { sayFailure } = await import('./cli/run/print-failure.ts');
    return await sayFailure(failure, json, ctx);
  } catch (trouble) {
    // What says it cannot be loaded either.
    const last = toFailure(failure instanceof Failure ? failure : trouble);
    const text = last instanceof Failure ? [last.message, last.hint].filter(Boolean).join('\n  -> ') : String(last);
    await ctx.stderr.write(safeText(`error: ${text}\n`, true));
    return last instanceof Failure ? last.exit : EXIT.bug;
  }
}

/** `berth` alone is a mistake that help answers; `berth --help` is a question. */
async function rootPage(ctx: HostContext, asked: boolean): Promise<ExitCode> {
  const { rootHelp } = await import('./cli/help/help.ts');
  await (asked ? ctx.stdout : ctx.stderr).write(safeText(rootHelp(NOUNS), true));
  return asked ? EXIT.done : EXIT.usage;
}

async function page(
  ctx: HostContext,
  path: readonly string[],
  target: Command | Group,
  asked: boolean,
): Promise<ExitCode> {
  const { commandHelp, groupHelp } = await import('./cli/help/help.ts');
  const text = target.kind === 'group' ? groupHelp(path, target) : commandHelp(path, target);
  await (asked ? ctx.stdout : ctx.stderr).write(safeText(text, true));
  return asked ? EXIT.done : EXIT.usage;
}

/**
 * `berth local ...` speaks to the service that BERTH_BASE_URL names where that is on this machine, else to the one in
 * this process; never to the addresses of a profile.
 */
function speaksToLocal(noun: string | undefined, world: World): boolean {
  const named = world.env['BERTH_BASE_URL'] ?? '';
  const running = URL.canParse(named) && new URL(named).protocol === 'http:' && isLoopback(new URL(named).hostname);
  return noun === 'local' && !running;
}
