import { didYouMean, resolveAlias } from '../words.ts';
import { type Failure, usage } from '../../core/failure.ts';
import { berth, lines, type Message, names, sentence } from '../../core/message.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';

export const ROOT_COMMANDS: Readonly<Record<string, string>> = {
  batch: 'jobs batch',
  cost: 'billing report',
  costs: 'billing report',
  cpus: 'catalog cpus',
  datacenters: 'catalog datacenters',
  exec: 'local exec',
  gpu: 'catalog gpus',
  gpus: 'catalog gpus',
  keys: 'account ssh-keys',
  login: 'auth login',
  logout: 'auth logout',
  logs: 'pods logs',
  network: 'volumes',
  'network-volumes': 'volumes',
  ps: 'pods list',
  purge: 'queue purge',
  run: 'jobs run',
  serve: 'local serve',
  serverless: 'endpoints',
  ssh: 'pods ssh',
  'ssh-keys': 'account ssh-keys',
  status: 'auth status',
  storage: 'volumes',
  submit: 'jobs run',
  vol: 'volumes',
  version: '--version',
  whoami: 'auth status',
};

/** Per command: why it does not exist, the replacement, and its command. */
export const ABSENT_COMMANDS: Readonly<Record<string, readonly [why: string, instead: string, command: string]>> = {
  'jobs list': ['the service has no list of jobs', 'The jobs that this machine submitted last:', 'jobs recent'],
};

const deadline = (flag: string): AbsentFlag => [
  'a deadline is a variable of the pod, and a change of those restarts a pod that runs',
  'It is changed when the pod starts the next time. Until then, a lock keeps every guard from it:',
  [`pods start POD ${flag} 8h`, 'pods update POD --locked on'],
];

const ROTATE: AbsentFlag = [
  'the service cannot change a credential, and pods that run restart where another one takes its place',
  'Give the registry another name in the files, also where it is used, and look at the plan. Once it is applied, delete the old one:',
  ['plan FILE', 'apply FILE', 'registries delete OLD'],
];

const FILES = (command: string): AbsentFlag => [
  'files and folders are named without a flag',
  'Name them after the command:',
  [`${command} FILE...`],
];

type AbsentFlag = readonly [why: string, instead: string, commands: readonly string[]];

/** Per flag: why it does not exist, the replacement, and its commands. */
export const ABSENT_FLAGS: Readonly<Record<string, AbsentFlag>> = {
  'apply --rotate': ROTATE,
  'apply -f': FILES('apply'),
  'plan -f': FILES('plan'),
  'plan --rotate': ROTATE,
  'pods update --stop-after': deadline('--stop-after'),
  'pods update --terminate-after': deadline('--terminate-after'),
};

/** The first one that the command has is used. */
export const FLAG_ALIASES: Readonly<Record<string, readonly string[]>> = {
  body: ['input', 'field'],
  confirm: ['yes'],
  data: ['input', 'field'],
  environment: ['env'],
  filter: ['match'],
  format: ['output'],
  lines: ['tail'],
  location: ['data-center'],
  payload: ['input'],
  region: ['data-center'],
  retry: ['retry-failed', 'retries'],
  volume: ['network-volume'],
};

const DASH_HINT = 'A value that begins with a dash goes after --, or as --flag=VALUE.';
const KEY_HINT = sentence`A key is never given on a command line, where others can read it: ${berth`auth login --with-key`} < FILE`;

const seeHelp = (path: readonly string[]): Message => sentence`See \`${berth`${names(path.join(' '))} --help`}\`.`;

export function unknownCommand(word: string, path: readonly string[], known: readonly string[]): Failure {
  const lower = word.toLowerCase();
  const absent = absentCommand(lower, path, known);
  if (absent !== undefined) return absent;
  const meant = path.length === 0 && Object.hasOwn(ROOT_COMMANDS, lower) ? ROOT_COMMANDS[lower] : undefined;
  const near = meant === undefined ? didYouMean(word, known) : suggestionOf([`berth ${meant}`]);
  const see = path.length === 0 && near !== undefined ? undefined : seeHelp(path);
  return usage(`unknown command '${word}'`, lines(near, see));
}

function absentCommand(word: string, path: readonly string[], known: readonly string[]): Failure | undefined {
  for (const [name, [why, instead, command]] of Object.entries(ABSENT_COMMANDS)) {
    const [noun = '', verb = ''] = name.split(' ');
    if (path.join(' ') === noun && resolveAlias(word, [...known, verb]) === verb)
      return usage(`there is no '${name}': ${why}`, sentence`${instead} ${berth`${names(command)}`}`);
  }
  return undefined;
}

/** The message never contains the text after the flag's name, which may be a key. */
export function unknownOption(word: string, path: readonly string[], known: readonly string[]): Failure {
  const name = /^(--[^=\s]*|-[a-z]{0,12}(?![^=])|-.?)/.exec(word)?.[0] ?? '';
  const absent = ABSENT_FLAGS[[...path, name].join(' ')];
  if (absent !== undefined) {
    const [why, instead, commands] = absent;
    return usage(
      `'${path.join(' ')}' has no ${name}: ${why}`,
      lines(instead, ...commands.map((each) => berth`${names(each)}`)),
    );
  }
  const what = word.startsWith(`${name}=`)
    ? `option '${name}' is unknown, or takes no value`
    : `unknown option '${name}'`;
  const near = name.startsWith('--')
    ? nearestFlags(
        name.slice(2),
        known.map((flag) => flag.slice(2)),
      )
    : flagsOfLetter(name, known);
  return usage(
    what,
    lines(
      suggestionOf(near.map((flag) => `--${flag}`)),
      /key|token|passw|secret/i.test(name) ? KEY_HINT : undefined,
      name.startsWith('--') ? seeHelp(path) : DASH_HINT,
    ),
  );
}

function flagsOfLetter(name: string, known: readonly string[]): readonly string[] {
  const found = known.filter((flag) => name.length === 2 && flag.startsWith(`-${name}`)).map((flag) => flag.slice(2));
  return found.length > 3 ? [] : found.toSorted();
}

export const missingValue = (flag: string, path: readonly string[]): Failure =>
  usage(`option '${flag}' argument missing`, seeHelp(path));

export const tooManyWords = (path: readonly string[], usageLine: string): Failure =>
  usage(`too many arguments for '${path.at(-1) ?? 'berth'}'`, lines(`Usage: ${usageLine}`, seeHelp(path)));

export const otherParseError = (code: string, path: readonly string[]): Failure =>
  usage(`the command line cannot be read (${code})`, seeHelp(path));

/** The nearest; else those with all its words (`workers`: workers-max) or some and no others. */
function nearestFlags(flag: string, known: readonly string[]): readonly string[] {
  const alias = Object.hasOwn(FLAG_ALIASES, flag)
    ? FLAG_ALIASES[flag]?.find((each) => known.includes(each))
    : undefined;
  if (alias !== undefined) return [alias];
  const near = nearestOf(flag, known);
  if (near.length > 0) return near;
  const words = flag.split('-');
  const has = (all: readonly string[], some: readonly string[]): boolean => some.every((word) => all.includes(word));
  const longer = known.filter((each) => has(each.split('-'), words));
  return (longer.length > 0 ? longer : known.filter((each) => has(words, each.split('-')))).toSorted();
}
