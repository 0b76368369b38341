import { flagsHelp, HELP_TOPICS, pageOf, rows, text, type TopicName } from '../../cli/help.ts';
import type { Params } from '../../cli/model/params.ts';
import { EXIT_CODES } from '../../core/exit-codes.ts';
import { OUTPUT_FORMATS } from '../../core/settings.ts';
import { FORMAT_TABLE } from '../../output/formats/format-table.ts';
import type { Page } from '../../output/view.ts';
import { type Setting, SETTINGS } from '../../settings/settings-table.ts';

export const OTHER_VARIABLES: readonly { readonly variable: string; readonly summary: string }[] = [
  { variable: 'BERTH_STORAGE_ACCESS_KEY', summary: 'the access key of the files on volumes; else AWS_ACCESS_KEY_ID' },
  { variable: 'BERTH_STORAGE_SECRET', summary: 'the secret of that access key' },
  { variable: 'FORCE_COLOR', summary: 'use colour also without a terminal; 0 for none' },
  { variable: 'CI', summary: 'no questions, no spinners, no live views' },
  { variable: 'TERM', summary: '"dumb": no colour, no spinners, no live views, no questions' },
  { variable: 'COLUMNS', summary: 'a width to use in place of that of the terminal' },
  { variable: 'XDG_CONFIG_HOME', summary: 'the directory above the configuration' },
  { variable: 'XDG_DATA_HOME', summary: 'the directory above the data' },
  { variable: 'HTTPS_PROXY', summary: 'proxy for https addresses' },
  { variable: 'HTTP_PROXY', summary: 'proxy for http addresses' },
  { variable: 'NO_PROXY', summary: 'hosts for which no proxy is used, separated by commas' },
  { variable: 'TRACEPARENT', summary: 'the trace to pass on to the service with every request (and TRACESTATE)' },
  { variable: 'NODE_EXTRA_CA_CERTS', summary: 'a file with more certificate authorities to trust' },
];

const selectors = (): Page =>
  pageOf([
    text(
      'Selectors filter lists, and stand for ids where a command takes several. Different selectors are ANDed, values of one selector ORed.',
    ),
    rows('Selectors', [
      ['--match GLOB', "by name: --match 'train-*' (quote it for the shell); '!web-*' for all others"],
      ['--status A,B', 'by status, where there is one'],
      ['--older-than TIME', "by age (90m, 3d), by the service's clock"],
      ['--all', 'all resources of the list'],
    ]),
    rows('What happens', [
      ['list', 'is read once; the command acts by id on what it has shown'],
      ['left out', 'resources in a state that does not allow it, locked ones, volumes in use'],
      ['question', 'shows the list first, and asks y/N; --yes skips it'],
      ['no match', 'a line on stderr, and exit code 0'],
      ['--force', 'includes locked pods and volumes in use; only of terminate and delete'],
    ]),
    rows('Several results', [
      ['--json', '[{"id","ok","error"?}, ...]: always one for each resource'],
      ['-o id', 'the ids of those that succeeded'],
      ['exit code', 'the worst: 130, 8, 1, 14, 3, 7, 6, 5, 15, 4, 2, 13, 10, 12, 11, 9, 0'],
    ]),
  ]);

const time = (): Page =>
  pageOf([
    rows('How a time is written', [
      ['90s, 5m, 1h30m, 2d', 'a span; a number alone has the unit that the flag names'],
      ['2026-01-31', 'a date, UTC'],
      ['2026-01-31T12:00:00Z', 'a moment (RFC 3339)'],
      ['10m', 'where a moment is expected: 10 minutes ago'],
    ]),
    rows('How long a command waits', [
      ['--timeout', 'one exchange with the service (default 30s)'],
      ['--wait-timeout', 'the whole wait of --wait and wait (default 10m); then exit code 9'],
    ]),
    rows('How long a job and its result exist', [
      ['--ttl', 'in the queue and running, together (default 24h)'],
      ['--execution-timeout', 'running (default: that of its endpoint, which is 5m for a new one)'],
      ['result of jobs run', '30 minutes after its end'],
      ['result of jobs run --sync', '1 minute after its end, and up to 5 with a larger --sync-wait'],
    ]),
  ]);

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
      ['--jq .name --raw', 'the same, text without its quotes'],
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
      SETTINGS.map((setting) => [setting.variable, described(setting)] as const),
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

export function topicPage(name: string, flags: Params): Page | undefined {
  const pages: Readonly<Record<TopicName, () => Page>> = {
    flags: () => flagsHelp(flags),
    'exit-codes': exitCodes,
    environment,
    output,
    selectors,
    time,
  };
  return isTopic(name) ? pages[name]() : undefined;
}

const isTopic = (name: string): name is TopicName => (HELP_TOPICS as readonly string[]).includes(name);
