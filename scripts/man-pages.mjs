/** Makes the man pages of the package: berth.1, and one for each noun. They are made from the same data as docs/reference. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Marked } from 'marked';
import markedMan from 'marked-man';
import { commandsOf, describe } from './reference/describe.mjs';
import { usageOf } from './reference/markdown.mjs';

/** `root` is the folder of the project, with dist/ built. Writes to dist/man. */
export async function makeManPages(root, version) {
  const described = describe(root);
  const folder = path.join(root, 'dist/man');
  await mkdir(folder, { recursive: true });
  const pages = [
    ['berth', mainPage(described)],
    ...described.nouns.map((each) => [`berth-${each.noun}`, nounPage(described, each)]),
  ];
  for (const [name, markdown] of pages)
    await writeFile(path.join(folder, `${name}.1`), await toRoff(name, markdown, version));
}

/** No date: two builds must give the same bytes. */
async function toRoff(name, markdown, version) {
  const marked = new Marked({ ...markedMan, breaks: false, name, section: '1', manual: 'berth', manVersion: version });
  const roff = await marked.parse(markdown);
  return roff.replace(/^\.TH .*$/m, `.TH "${name.toUpperCase()}" "1" "" "berth ${version}" "berth"`);
}

const item = (name, text) => [`* \`${name}\`:`, `  ${text.replaceAll('\n', ' ')}`, ''];

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

function nounPage(described, { noun, summary }) {
  return [
    `# berth-${noun}(1) -- ${summary}`,
    '',
    ...commandsOf(described, noun).flatMap((command) => [
      `## berth ${command.command}`,
      '',
      `\`${usageOf(command)}\``,
      '',
      `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`,
      '',
      ...(command.details === undefined ? [] : [command.details, '']),
      ...command.arguments.flatMap(({ name, summary: what }) => item(name, what)),
      ...command.flags.flatMap(({ flag, short, summary: what }) =>
        item(short === undefined ? flag : `${short}, ${flag}`, what),
      ),
      ...command.examples.flatMap(({ command: line, meaning }) => [`${meaning}:`, '', `    ${line}`, '']),
    ]),
    '## SEE ALSO',
    '',
    'berth(1)',
    '',
  ].join('\n');
}
