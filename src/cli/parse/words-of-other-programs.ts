/** First words of other programs, and the commands here that mean the same. */
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

/** Commands that are looked for and cannot be: why, what there is in their place, and the command for it. */
export const ABSENT_COMMANDS: Readonly<Record<string, readonly [why: string, instead: string, command: string]>> = {
  'jobs list': ['the service has no list of jobs', 'The jobs that this machine submitted last:', 'jobs recent'],
};

/** Why a deadline is no flag of an update, and what there is in its place. */
const deadline = (flag: string): AbsentFlag => [
  'a deadline is a variable of the pod, and a change of those restarts a pod that runs',
  'It is changed when the pod starts the next time. Until then, a lock keeps every guard from it:',
  [`pods start POD ${flag} 8h`, 'pods update POD --locked on'],
];

/** Why files rotate no credential, and how it is done with them. */
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

/** Flags that are looked for and cannot be: why, what there is in their place, and the commands for it. */
export const ABSENT_FLAGS: Readonly<Record<string, AbsentFlag>> = {
  'apply --rotate': ROTATE,
  'apply -f': FILES('apply'),
  'plan -f': FILES('plan'),
  'plan --rotate': ROTATE,
  'pods update --stop-after': deadline('--stop-after'),
  'pods update --terminate-after': deadline('--terminate-after'),
};

/** Flags of other programs, and those here that mean the same; the first one that the command has is used. */
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
