import { usage } from '../../core/failure.ts';
import {
  type Command,
  commandsIn,
  commandsOf,
  defineCommand,
  type NamedCommand,
  type Program,
} from '../../cli/model/command.ts';
import { commandHelp, groupHelp, HELP_TOPICS, rootHelp } from '../../cli/help.ts';
import { arg, option } from '../../cli/model/params.ts';
import { parseCommandLine } from '../../cli/parse/command-line.ts';
import { expandFirstWord } from '../../cli/parse/user-aliases.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Page, Result } from '../../output/view.ts';
import { agentText, describeProgram, DESCRIPTION, descriptionView } from './describe.ts';
import { topicPage } from './topics.ts';

const TOPICS: readonly string[] = HELP_TOPICS;

export const help = (program: Program): Command =>
  defineCommand({
    summary: 'show help on a command or a topic',
    output: () => DESCRIPTION,
    details:
      'With --json, describes commands for a program: arguments, flags, types, defaults, exit codes, examples, and whether a command writes, destroys, waits or costs money.',
    args: {
      words: {
        ...arg.any('a command, or a topic', { metavar: 'COMMAND|TOPIC', complete: 'help' }),
        choices: TOPICS,
        parse: (word: string) => word,
      },
    },
    options: { agent: option.on('print the rules and all commands, for a coding agent') },
    examples: [
      ['berth help pods create', 'the arguments, flags and examples of a command'],
      ['berth help exit-codes', 'a topic'],
      ['berth help --json', 'every command, for a program'],
      ['berth help jobs --json', 'the commands of a noun'],
    ],
    run: async (ctx, { words, agent }): Promise<Result> => {
      const describes = !isTableOutput(ctx.output) || ctx.output.jq !== undefined || ctx.output.fields !== undefined;
      if (!agent && !describes) return { kind: 'page', page: await helpPage(program, words) };
      const commands = await namedCommands(program, words);
      if (agent) return { kind: 'text', text: agentText(commands) };
      return { kind: 'one', view: descriptionView, value: describeProgram(program, commands) };
    },
  });

/** All without words, and for a topic. */
async function namedCommands(program: Program, words: readonly string[]): Promise<readonly NamedCommand[]> {
  const [first] = words;
  if (first === undefined || TOPICS.includes(first)) return shown(await commandsOf(program));
  const { path, target } = await findTarget(program, words);
  return target.kind === 'command' ? [{ path, command: target }] : shown(commandsIn(target, path));
}

const shown = (commands: readonly NamedCommand[]): readonly NamedCommand[] =>
  commands.filter(({ command }) => command.hidden !== true);

async function helpPage(program: Program, words: readonly string[]): Promise<Page> {
  const [first] = words;
  if (first === undefined) return rootHelp(program);
  const topic = topicPage(first, program.flags);
  if (topic !== undefined) return topic;
  const { path, target } = await findTarget(program, words);
  return target.kind === 'group' ? groupHelp(path, target) : commandHelp(path, target);
}

/** Usage (2) when there is no such command. */
async function findTarget(program: Program, words: readonly string[]) {
  const nouns = [...program.nouns.keys()];
  const line = await expandFirstWord(words, program.flags, nouns, () => Promise.resolve({}));
  const parsed = await parseCommandLine([...line, '--help'], program);
  if ('failure' in parsed) throw parsed.failure;
  const { path, target } = parsed;
  if (target === undefined) throw usage(`there is no command ${JSON.stringify(words.join(' '))}`);
  return { path, target };
}
