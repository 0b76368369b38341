import { EXIT_MEANINGS } from '../../core/exit-codes.ts';
import { OUTPUT_FORMATS } from '../../core/output-formats.ts';
import { FORMAT_TABLE } from '../../output/formats/format-table.ts';
import type { GlobalFlag } from '../../cli/parse/globals.ts';
import { flagsHelp, HELP_TOPICS, table, wrap, type TopicName } from '../../cli/help/help.ts';
import { OTHER_VARIABLES, SETTINGS, type Setting } from '../../settings/table.ts';

const exitCodes = (): string =>
  [
    table(
      'Exit codes',
      EXIT_MEANINGS.map(([code, meaning]) => [String(code).padStart(3), meaning] as const),
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
    'An error is one block on stderr, or with --json one object:\n  {"error":{"code":"not-found","message":"...","hint":"...","status":404}}',
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
  (setting.initial === undefined ? '' : ` (default ${setting.initial})`);

/** The text of `berth help TOPIC`; undefined for an unknown topic. */
export function topicText(name: string, flags: readonly GlobalFlag[]): string | undefined {
  const texts: Readonly<Record<TopicName, () => string>> = {
    flags: () => flagsHelp(flags),
    'exit-codes': exitCodes,
    environment,
    output,
  };
  return isTopic(name) ? texts[name]() : undefined;
}

const isTopic = (name: string): name is TopicName => HELP_TOPICS.some(([topic]) => topic === name);
