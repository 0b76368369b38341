import { EXIT_CODES } from '../../core/exit-codes.ts';
import { OUTPUT_FORMATS } from '../../core/output-formats.ts';
import { FORMAT_TABLE } from '../../output/formats/format-table.ts';
import type { GlobalFlag } from '../../cli/parse/globals.ts';
import { flagsHelp, HELP_TOPICS, table, wrap, type TopicName } from '../../cli/help/help.ts';
import { OTHER_VARIABLES, SETTINGS, type Setting } from '../../settings/table.ts';

const exitCodes = (): string =>
  [
    table(
      'Exit codes',
      EXIT_CODES.map(({ code, meaning }) => [String(code).padStart(3), meaning] as const),
    ) ?? '',
    wrap(
      'Codes 9 to 12 come from what waits (--wait, wait, --stream, --sync). `jobs status` and `pods get` end 0 when the question was answered; --exit-status asks for the outcome instead.',
      80,
    ).join('\n'),
  ].join('\n\n') + '\n';

const output = (): string =>
  [
    'stdout carries data and nothing else; everything said to a person goes to stderr.',
    table(
      'Formats (-o)',
      OUTPUT_FORMATS.map((name) => [name, FORMAT_TABLE[name].summary] as const),
    ),
    table('Choosing', [
      ['--fields id,runtime.gpus', 'these members only, in any format'],
      ['--jq .runtime.uptime', 'filter the JSON with jq, built in'],
      ['--jq .name --raw', 'the same, text without its quotes (-r)'],
      ['-o id', 'the id alone, for a variable: volume=$(berth volumes create ... -o id)'],
    ]),
    table('Colour', [
      ['NO_COLOR, --no-color', 'never'],
      ['FORCE_COLOR', 'always, also in a pipe'],
      ['TERM=dumb, CI', 'no spinners, no views that redraw'],
    ]),
    'An error is one block on stderr, or with --json one object, the last thing there:\n  {"error":{"code":"not-found","message":"...","hint":"...","status":404}}',
  ].join('\n\n') + '\n';

const environment = (): string =>
  [
    'A setting comes from its flag, else its variable, else the profile, else its default. `berth config list` shows each value and where it came from.',
    table(
      'Variables',
      SETTINGS.flatMap((setting: Setting) =>
        setting.variable === undefined ? [] : [[setting.variable, described(setting)] as const],
      ),
    ),
    table(
      'Also honoured',
      OTHER_VARIABLES.map(({ variable, summary }) => [variable, summary] as const),
    ),
  ].join('\n\n') + '\n';

const described = (setting: Setting): string =>
  setting.summary +
  (setting.flag === undefined ? '' : ` (${setting.flag})`) +
  (setting.default === undefined ? '' : ` (default ${setting.default})`);

const selectors = (): string =>
  [
    wrap(
      'Lists are filtered, and commands that take several ids can take selectors in their place. Different selectors narrow each other; several values of one of them widen it.',
      80,
    ).join('\n'),
    table('Selectors', [
      ['--match GLOB', "by name: --match 'train-*' (quote it for the shell)"],
      ['--status A,B', 'by status, where there is one'],
      ['--older-than TIME', "by age (90m, 3d), by the service's clock"],
      ['--all', 'everything that the list shows'],
    ]),
    table('Patterns', [
      ['*', 'any text, a slash too'],
      ['?', 'one character'],
      ['[abc], {web,api}', 'one of these characters, one of these words'],
      ["'!web-*'", 'every name that does not match'],
      ['\\*', 'a star itself'],
    ]),
    table('What happens', [
      ['which', 'the list is read once; what was shown is acted on, by id'],
      ['left out', 'what cannot be done now, what is locked, volumes in use'],
      ['asked', 'the list and what it saves an hour are shown first; --yes skips this'],
      ['--dry-run', 'reads the list, prints the requests, sends none of them'],
      ['none', 'a line on stderr, and exit code 0'],
      ['--force', 'takes locked pods and volumes in use too'],
      ['names', 'where data is lost, the name (or "3 volumes") must be typed'],
    ]),
    table('Several results', [
      ['--json', '[{"id","ok","error"?}, ...]: one for each, in every case'],
      ['-o id', 'the ids of those that went well'],
      ['exit code', 'the worst: 130, 8, 1, 14, 3, 7, 6, 5, 15, 4, 2, 13, 10, 12, 11, 9, 0'],
    ]),
    table('Examples', [
      ["berth pods list --match 'train-*' --sort -cost", 'the most expensive first'],
      ["berth pods stop --match 'train-*' --older-than 1d", 'after a look at them'],
      ['berth pods terminate --status EXITED --dry-run', 'what would be sent'],
      ['berth pods stop --all --yes --json', 'in a script'],
    ]),
  ].join('\n\n') + '\n';

/** The text of `berth help TOPIC`; undefined for an unknown topic. */
export function topicText(name: string, flags: readonly GlobalFlag[]): string | undefined {
  const texts: Readonly<Record<TopicName, () => string>> = {
    flags: () => flagsHelp(flags),
    'exit-codes': exitCodes,
    environment,
    output,
    selectors,
  };
  return isTopic(name) ? texts[name]() : undefined;
}

const isTopic = (name: string): name is TopicName => HELP_TOPICS.some(([topic]) => topic === name);
