import { berth, printed, sentence } from './core/message.ts';
import { safeText } from './core/safe-text.ts';
import { EXIT, type ExitCode } from './core/exit-codes.ts';
import { Failure, usage } from './core/failure.ts';
import { toFailure } from './core/files.ts';
import type { Command, Group, Program } from './cli/model/command.ts';
import { outputOptions, printsJson, type GlobalValues } from './cli/model/global-flags.ts';
import type { RunCli } from './host/again.ts';
import { createContext, type HostContext } from './host/context.ts';
import { chooseLocalService, readAliases } from './host/runtime/settings.ts';
import { closeStreamsOfClosedTerminal } from './host/terminal/terminal.ts';
import { type Installation, processRuntime, type Runtime } from './host/runtime/runtime.ts';
import { FLAGS, NOUNS } from './registry.ts';

const PROGRAM: Program = { nouns: NOUNS, flags: FLAGS };

/**
 * Runs the process's command line and exits with its code. All output has been written by then, so the process does not
 * wait for open connections or for code that V8 still compiles.
 */
export async function main(installation: Installation): Promise<void> {
  // Without a listener, Node opens its inspector, through which any user of this machine could read the key.
  process.on('SIGUSR1', () => undefined);
  process.once('exit', closeStreamsOfClosedTerminal);
  // Emitted only where nothing is left that could settle the command: Node would end 0.
  process.once('beforeExit', () => {
    process.stderr.write('error: this is a bug in berth: the process would end before the command\n');
    process.exit(EXIT.bug);
  });
  process.exit(await runCli(process.argv.slice(2), processRuntime(installation)));
}

/** The exit code is one of berth, or that of the program that it ran. Reads and writes only through `runtime`; never throws. */
export async function runCli(...[argv, runtime, openLocal]: Parameters<RunCli>): Promise<number> {
  // Completions do not load the parser.
  if (argv[0] === '__complete') return await completeInShell(argv, runtime);
  let globals: GlobalValues = {};
  let context: HostContext | undefined;
  const open = (): HostContext => (context ??= createContext(runtime, globals, runCli, openLocal));
  try {
    // The root help needs no parser; it is printed often and must start fast.
    if (argv.length === 0 || (argv.length === 1 && (argv[0] === '--help' || argv[0] === '-h')))
      return await printHelp(open(), [], undefined, argv.length > 0);
    const { parseCommandLine } = await import('./cli/parse/command-line.ts');
    // Reads no file where the command line begins with a noun.
    const isPlain = NOUNS.has(argv[0] ?? '');
    const parsed = await parseCommandLine(isPlain ? argv : await withNounFirst(argv, runtime), PROGRAM);
    globals = parsed.globals;
    if ('failure' in parsed) throw parsed.failure;
    const { target, path, values } = parsed;
    if (target?.kind !== 'command' || globals['help'] === true) return await showHelp(open(), path, target, globals);
    if (path[0] === 'local') globals = chooseLocalService(globals, runtime);
    const ctx = open();
    const { runCommand } = await import('./cli/run/run-command.ts');
    const code = await runCommand(ctx, target, values, outputOptions(globals, ctx.settings), path);
    context = undefined;
    // Not in `finally`: what cannot be saved is an error of the command.
    await ctx.close();
    return code;
  } catch (error) {
    const ctx = open();
    // The variable is read first, because the settings may be what cannot be read.
    const json = printsJson(globals, () => formatVariable(runtime) ?? ctx.settings.get('output'));
    return await printError(error, json, ctx);
  } finally {
    await context?.close();
  }
}

/** For `--help`, and for a line that ends before its verb (2). With `--json` the description of the commands, or the error. */
async function showHelp(
  ctx: HostContext,
  path: readonly string[],
  target: Command | Group | undefined,
  globals: GlobalValues,
): Promise<number> {
  const wantsHelp = globals['help'] === true;
  if (!printsJson(globals, () => undefined)) return await printHelp(ctx, path, target, wantsHelp);
  const help = wantsHelp ? await NOUNS.get('help')?.load(PROGRAM) : undefined;
  if (help?.kind !== 'command')
    throw usage(
      path.length === 0 ? 'a command is missing' : `a verb is missing after '${path.join(' ')}'`,
      sentence`What there is: ${berth`help ${path} --json`}`,
    );
  const { runCommand } = await import('./cli/run/run-command.ts');
  const output = globals['json'] === true ? { ...globals, output: undefined } : globals;
  return await runCommand(ctx, help, { words: path, agent: false }, outputOptions(output, ctx.settings), ['help']);
}

/** BERTH_OUTPUT, which wins over the profile; undefined if it is not set or empty. */
function formatVariable({ env }: Runtime): string | undefined {
  const value = env['BERTH_OUTPUT'];
  return value === '' ? undefined : value;
}

async function withNounFirst(argv: readonly string[], runtime: Runtime): Promise<readonly string[]> {
  const { expandFirstWord } = await import('./cli/parse/user-aliases.ts');
  return await expandFirstWord(argv, FLAGS, [...NOUNS.keys()], () => readAliases(runtime));
}

/** Answers the completion script of a shell. Prints nothing about an error, because the user is typing. */
async function completeInShell(argv: readonly string[], runtime: Runtime): Promise<ExitCode> {
  let context: HostContext | undefined;
  try {
    const { complete } = await import('./cli/completion/entry.ts');
    await complete(argv, PROGRAM, (globals) => (context = createContext(runtime, globals, runCli)));
    return EXIT.done;
  } catch {
    return EXIT.bug;
  } finally {
    await context?.close();
  }
}

async function printError(error: unknown, json: boolean, ctx: HostContext): Promise<ExitCode> {
  const failure = toFailure(error);
  try {
    const { renderFailure } = await import('./output/failure.ts');
    return await renderFailure(failure, json ? 'json' : 'text', ctx);
  } catch (loadError) {
    // The module that prints failures cannot be loaded either, or stderr cannot be written to.
    const last = toFailure(failure instanceof Failure ? failure : loadError);
    const text =
      last instanceof Failure
        ? [last.message, printed(last.hint ?? '', ctx.settings)].filter(Boolean).join('\n  -> ')
        : String(last);
    await ctx.stderr.write(safeText(`error: ${text}\n`, true)).catch(() => undefined);
    return last instanceof Failure ? last.exit : EXIT.bug;
  }
}

/** On stdout for `--help`; on stderr with usage (2) where a verb, or everything, is missing. */
async function printHelp(
  ctx: HostContext,
  path: readonly string[],
  target: Command | Group | undefined,
  wasRequested: boolean,
): Promise<ExitCode> {
  const { commandHelp, groupHelp, printHelpPage, rootHelp } = await import('./cli/help.ts');
  const found = target?.kind === 'group' ? groupHelp(path, target) : target && commandHelp(path, target);
  await printHelpPage(ctx, found ?? rootHelp(PROGRAM), wasRequested);
  return wasRequested ? EXIT.done : EXIT.usage;
}
