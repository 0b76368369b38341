/**
 * Makes the man pages of the package: berth.1, and one for each noun and each command. They are made from the same data as
 * docs/reference.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Marked } from 'marked';
import markedMan from 'marked-man';
import { commandsOf, describe } from './reference/describe.mjs';
import { effects, usageOf, valueText } from './reference/markdown.mjs';

/** `root` is the folder of the project, with dist/ built. Writes to dist/man. */
export async function makeManPages(root, version) {
  const described = describe(root);
  const folder = path.join(root, 'dist/man');
  await mkdir(folder, { recursive: true });
  for (const [name, markdown] of pagesOf(described))
    await writeFile(path.join(folder, `${name}.1`), await toRoff(name, markdown, version));
}

/** What package.json lists: npm installs no page that is only in `directories.man`. */
export const manFiles = (described) => [...pagesOf(described).keys()].sort().map((name) => `dist/man/${name}.1`);

/** The text of each page by its name. A noun without verbs is a command. */
const pagesOf = (described) =>
  new Map([
    ['berth', mainPage(described)],
    ...described.nouns.map((each) => [`berth-${each.noun}`, nounPage(each, commandsOf(described, each.noun))]),
    ...described.commands.map((each) => [pageOf(each), commandPage(each)]),
  ]);

const pageOf = ({ command }) => `berth-${command.replaceAll(' ', '-')}`;

/** No date: two builds must give the same bytes. */
async function toRoff(name, markdown, version) {
  const marked = new Marked({ ...markedMan, breaks: false, name, section: '1', manual: 'berth', manVersion: version });
  const roff = await marked.parse(markdown);
  return roff.replace(/^\.TH .*$/m, `.TH "${name.toUpperCase()}" "1" "" "berth ${version}" "berth"`);
}

const item = (name, text) => [`* \`${name}\`:`, `  ${text.replaceAll('\n', ' ')}`, ''];
const flagItem = ({ flag, short, summary, ...value }) =>
  item(short === undefined ? flag : `${short}, ${flag}`, `${summary} (${valueText(value)})`);
const section = (title, lines) => (lines.length === 0 ? [] : [`## ${title}`, '', ...lines]);
const seeAlso = (...pages) => section('SEE ALSO', [pages.map((page) => `${page}(1)`).join(', '), '']);

function mainPage({ nouns, globalFlags, exitCodes, settings, variables }) {
  return [
    '# berth(1) -- the command line of a GPU cloud',
    '',
    '## SYNOPSIS',
    '',
    '`berth [FLAGS] NOUN VERB [ARGUMENTS] [FLAGS]`',
    '',
    '## DESCRIPTION',
    '',
    'Manages pods, serverless endpoints with their job queues, and network volumes. Add `--local` to any command to use the local service, which needs no account.',
    '',
    '## NOUNS',
    '',
    ...nouns.flatMap(({ noun, summary }) => item(noun, `${summary}. See berth-${noun}(1).`)),
    '## FLAGS OF EVERY COMMAND',
    '',
    ...globalFlags.flatMap(({ flag, short, summary }) =>
      item(short === undefined ? flag : `${short}, ${flag}`, summary),
    ),
    '## EXIT STATUS',
    '',
    ...exitCodes.flatMap(({ code, meaning }) => item(String(code), meaning)),
    '## ENVIRONMENT',
    '',
    ...settings
      .filter(({ variable }) => variable !== undefined)
      .flatMap(({ variable, summary }) => item(variable, summary)),
    ...variables.flatMap(({ variable, summary }) => item(variable, summary)),
  ].join('\n');
}

/** A noun: its commands, each with a page of its own. */
function nounPage({ noun, summary }, commands) {
  return [
    `# berth-${noun}(1) -- ${summary}`,
    '',
    '## COMMANDS',
    '',
    ...commands.flatMap(({ command, summary: what }) => item(`berth ${command}`, what)),
    ...seeAlso(...commands.map(pageOf), 'berth'),
  ].join('\n');
}

function commandPage(described) {
  const { command, summary, details, arguments: args, flags, examples } = described;
  const noun = command.split(' ')[0];
  return [
    `# ${pageOf(described)}(1) -- ${summary}`,
    '',
    '## SYNOPSIS',
    '',
    `\`${usageOf(described)}\``,
    '',
    '## DESCRIPTION',
    '',
    `${summary[0].toUpperCase()}${summary.slice(1)}.`,
    '',
    ...(details === undefined ? [] : [details, '']),
    ...effects(described),
    ...section(
      'ARGUMENTS',
      args.flatMap((each) => item(each.name, `${each.summary} (${valueText(each)})`)),
    ),
    ...section('FLAGS', flags.flatMap(flagItem)),
    ...section(
      'EXAMPLES',
      examples.flatMap(({ command: line, meaning }) => [`${meaning}:`, '', `    ${line}`, '']),
    ),
    ...seeAlso(...(command === noun ? [] : [`berth-${noun}`]), 'berth'),
  ].join('\n');
}
