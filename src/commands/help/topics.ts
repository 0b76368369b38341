import { EXIT_CODES } from '../../core/exit-codes.ts';
import { OUTPUT_FORMATS } from '../../core/ports/output-formats.ts';
import { FORMAT_TABLE } from '../../output/formats/format-table.ts';
import type { Page } from '../../output/help-page.ts';
import type { GlobalFlag } from '../../cli/model/global-flags.ts';
import { flagsHelp, HELP_TOPICS, pageOf, rows, text, type TopicName } from '../../cli/help/help.ts';
import { OTHER_VARIABLES, SETTINGS, type Setting } from '../../settings/settings-table.ts';
import * as concepts from './concepts.ts';

const exitCodes = (): Page =>
  pageOf([
    rows(
      'Exit codes',
      EXIT_CODES.map(({ code, meaning }) => [String(code).padStart(3), meaning]),
    ),
    text(
      'Codes 8 to 13 and 15 come from the commands whose help names them, 9 to 12 from those that wait (--wait, wait, --stream, --sync). `status`, `get` and `explain` end with 0 when the service answered; with --exit-status they end with the outcome.',
    ),
    text(
      'After 8, look before you repeat. pods create --idempotency-key WORD looks by itself: 8 is then rare, and the same command run again creates no second pod.',
    ),
  ]);

const output = (): Page =>
  pageOf([
    text('stdout contains only data. Messages and errors go to stderr.'),
    rows(
      'Formats (-o)',
      OUTPUT_FORMATS.map((name) => [name, FORMAT_TABLE[name].summary]),
    ),
    rows('Choosing', [
      ['--fields id,runtime.gpus', 'only these members, in any format'],
      ['--jq .runtime.uptime', 'filter the JSON with jq, built in'],
      ['--jq .name --raw', 'the same, text without its quotes (-r)'],
      ['-o id', 'only the id, for a variable: volume=$(berth volumes create ... -o id)'],
    ]),
    rows('Colour', [
      ['NO_COLOR, --no-color', 'never'],
      ['FORCE_COLOR', 'always, also in a pipe'],
      ['TERM=dumb, CI', 'no spinners, no views that redraw'],
    ]),
    text('An error is one block on stderr. With --json it is one JSON object, the last line of stderr:'),
    { kind: 'literal', text: '  {"error":{"code":"not-found","message":"...",\n    "hint":"...","status":404}}' },
  ]);

const environment = (): Page =>
  pageOf([
    text(
      'A setting comes from its flag, else its variable, else the profile, else its default. `berth config list` shows each value and where it came from.',
    ),
    rows(
      'Variables',
      SETTINGS.flatMap((setting: Setting) =>
        setting.variable === undefined ? [] : [[setting.variable, described(setting)] as const],
      ),
    ),
    rows(
      'berth also reads',
      OTHER_VARIABLES.map(({ variable, summary }) => [variable, summary]),
    ),
  ]);

const described = (setting: Setting): string =>
  setting.summary +
  (setting.flag === undefined ? '' : ` (${setting.flag})`) +
  (setting.default === undefined ? '' : ` (default ${setting.default})`);

/** The page of `berth help TOPIC`; undefined for an unknown topic. */
export function topicPage(name: string, flags: readonly GlobalFlag[]): Page | undefined {
  const pages: Readonly<Record<TopicName, () => Page>> = {
    flags: () => flagsHelp(flags),
    'exit-codes': exitCodes,
    environment,
    output,
    selectors: concepts.selectors,
    profiles: concepts.profiles,
    'local-service': concepts.localService,
    batches: concepts.batches,
    time: concepts.time,
    prices: concepts.prices,
  };
  return isTopic(name) ? pages[name]() : undefined;
}

const isTopic = (name: string): name is TopicName => HELP_TOPICS.some(([topic]) => topic === name);
