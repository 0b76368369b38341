import { usage } from '../../core/failure.ts';
import { defineCommand, type Command, type Group, type Program } from '../../cli/command.ts';
import { commandHelp, groupHelp, HELP_TOPICS, rootHelp } from '../../cli/help/help.ts';
import { resolveAlias } from '../../cli/parse/aliases.ts';
import { didYouMean } from '../../cli/parse/suggestions.ts';
import { arg } from '../../cli/parse/params.ts';
import type { Page } from '../../output/page.ts';
import { topicPage } from './topics.ts';

const TOPICS: readonly string[] = HELP_TOPICS.map(([name]) => name);

/** `berth help`, `berth help pods get`, `berth help exit-codes`. */
export const help = (program: Program): Command =>
  defineCommand({
    summary: 'show help on a command or a topic',
    args: {
      words: {
        ...arg.many('a command, or a topic', { metavar: 'COMMAND|TOPIC', complete: 'help' }),
        choices: TOPICS,
        required: false,
      },
    },
    examples: [
      ['berth help pods create', 'the arguments, flags and examples of a command'],
      ['berth help exit-codes', 'a topic'],
    ],
    run: async (_, { words }) => ({ kind: 'page', page: await helpPage(program, words) }),
  });

async function helpPage(program: Program, words: readonly string[]): Promise<Page> {
  const [first, ...rest] = words;
  if (first === undefined) return rootHelp(program.nouns);
  const topic = topicPage(first, program.flags);
  if (topic !== undefined) return topic;
  const noun = program.nouns.find((each) => each.name === first);
  if (noun === undefined) {
    const near = didYouMean(first, [...program.nouns.map(({ name }) => name), ...TOPICS]);
    throw usage(
      `there is no command or topic ${JSON.stringify(first)}`,
      near ?? `Topics: ${TOPICS.join(', ')}. Commands: \`berth --help\`.`,
    );
  }
  let target: Command | Group = await noun.load(program);
  const path = [first];
  for (const word of rest) {
    const verbs: Group['commands'] = target.kind === 'group' ? target.commands : {};
    const verb = resolveAlias(word, Object.keys(verbs)) ?? word;
    const inner = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (inner === undefined)
      throw usage(
        `berth ${path.join(' ')} has no verb ${JSON.stringify(word)}`,
        didYouMean(word, Object.keys(verbs)) ?? `See \`berth ${path.join(' ')} --help\`.`,
      );
    target = inner;
    path.push(verb);
  }
  return target.kind === 'group' ? groupHelp(path, target) : commandHelp(path, target);
}
