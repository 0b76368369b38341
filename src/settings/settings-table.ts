import type { SettingValues } from '../core/context.ts';
import { OUTPUT_FORMATS } from '../core/settings.ts';
import type { TimeUnit } from '../core/units.ts';

/** The kind of value a setting takes. `bare` is the unit of a duration without a unit; `least` is the smallest count. */
type SettingKind =
  | { readonly kind: 'address' | 'storage-address' | 'text' | 'path' | 'switch' | 'profile' | 'key' | 'identifier' }
  | { readonly kind: 'duration'; readonly bare: TimeUnit }
  | { readonly kind: 'count'; readonly least: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

interface SettingOptions {
  /** Absent when the setting must not be given on the command line. */
  readonly flag?: string;
  readonly short?: string;
  readonly variable?: string;
  readonly default?: string;
  /** Never shown, except for its last four characters. */
  readonly secret?: boolean;
  readonly inProfile?: boolean;
  /** The profile's value applies to the local service too, which has no profile of its own. */
  readonly appliesToLocal?: boolean;
  /** When the profiles file is damaged, reading this setting fails instead of giving its default. */
  readonly failsWithFile?: boolean;
}

type SettingRow = SettingKind & SettingOptions & { readonly name: string };

export type Setting = SettingRow & {
  readonly secret: boolean;
  readonly inProfile: boolean;
  readonly summary: string;
};

export const LOCAL_PROFILE = 'local';

export const DEFAULT_PROFILE = 'default';

const kept = { inProfile: true } as const;
const everywhere = { inProfile: true, appliesToLocal: true } as const;
const hours = { ...everywhere, kind: 'duration', bare: 'h' } as const;
const url = { kind: 'address', inProfile: true, flag: '' } as const;

/** `withDefaults` fills in names: of a flag where there is one (`flag: ''`), and of a variable. */
const ROWS = [
  { ...url, name: 'base-url' },
  { ...url, name: 'queue-url' },
  { ...url, name: 'rest-url' },
  { ...kept, kind: 'storage-address', name: 'storage-url', flag: '' },
  { ...kept, kind: 'key', name: 'api-key', secret: true },
  { kind: 'path', name: 'api-key-file' },
  { kind: 'profile', name: 'profile', flag: '' },
  { kind: 'switch', name: 'local', flag: '' },
  { ...kept, kind: 'duration', bare: 's', name: 'timeout', flag: '', default: '30s' },
  { ...kept, kind: 'count', least: 0, name: 'retries', flag: '', default: '3' },
  { ...kept, kind: 'choice', choices: ['read', 'write', 'full'], name: 'access', failsWithFile: true, default: 'full' },
  { ...kept, kind: 'choice', choices: OUTPUT_FORMATS, name: 'output', flag: '' },
  { ...kept, kind: 'count', least: 1024, name: 'max-answer-bytes', default: '67108864' },
  { ...everywhere, kind: 'identifier', name: 'worker-prefix' },
  { ...everywhere, kind: 'text', name: 'secret-names' },
  { ...kept, kind: 'identifier', name: 'secret-prefix' },
  { ...hours, name: 'pods-stop-after' },
  { ...hours, name: 'pods-terminate-after' },
  { ...everywhere, kind: 'choice', choices: ['off', 'warn'], name: 'guard', default: 'off' },
  { ...everywhere, kind: 'text', name: 'notify' },
  { kind: 'path', name: 'config-dir' },
  { kind: 'path', name: 'data-dir' },
  { kind: 'switch', name: 'no-input', flag: '' },
  { kind: 'switch', name: 'quiet', flag: '', short: '-q' },
  { kind: 'switch', name: 'no-color', flag: '', variable: 'NO_COLOR' },
  { kind: 'switch', name: 'verbose', flag: '' },
] as const satisfies readonly SettingRow[];

const SUMMARIES: Readonly<Record<SettingName, string>> = {
  'base-url': 'address of the management API',
  'queue-url': 'address of the queue API (default that of the management API)',
  'rest-url': 'address of the older volume API',
  'storage-url': 'address of the files on volumes; {data-center} is replaced',
  'api-key': 'the API key; there is no flag, because other users can read command lines',
  'api-key-file': 'a file that contains the API key',
  profile: 'the profile to use: a set of addresses and a key',
  local: 'use the local service in this process',
  timeout: 'time limit of one request with its answer',
  retries: 'how often a request is repeated, where that is safe',
  access: 'what requests may do: `read` only reads, `write` also creates and changes, `full` also destroys',
  output: 'the format of the output; without it a table',
  'max-answer-bytes': 'the largest answer accepted, in bytes after decompression',
  'worker-prefix': 'the prefix of the variables that tell local workers where their queue is',
  'secret-names': 'words, with commas, that make a variable of `env` a secret, besides TOKEN, KEY, PASSWORD, ...',
  'secret-prefix': 'what the placeholders of secrets begin with: PREFIX of {{ PREFIX_SECRET_name }}',
  'pods-stop-after': 'the deadline that `pods create` gives a pod without --stop-after',
  'pods-terminate-after': 'the deadline that `pods create` gives a pod without --terminate-after',
  guard: 'whether `pods create` warns of a GPU pod without a deadline',
  notify: 'the command or https address that is told of the end of what waited longer than a minute',
  'config-dir': 'the directory of the profiles',
  'data-dir': 'the directory for the state of the local service and for the remembered limits',
  'no-input': 'never ask; a missing value is an error',
  quiet: 'print no progress, prices or notes',
  'no-color': 'no colour',
  verbose: 'print each request and answer on stderr, secrets redacted',
};

type Row = (typeof ROWS)[number];
export type SettingName = Row['name'];

const withDefaults = (row: Row): Setting & { readonly name: SettingName } => ({
  secret: false,
  inProfile: false,
  variable: `BERTH_${row.name.replaceAll('-', '_').toUpperCase()}`,
  summary: SUMMARIES[row.name],
  ...row,
  ...('flag' in row ? { flag: `--${row.name}` } : {}),
});

export const SETTINGS: readonly (Setting & { readonly name: SettingName })[] = ROWS.map(withDefaults);

export const ADDRESSES = ['base-url', 'queue-url', 'rest-url'] as const satisfies readonly SettingName[];

export const KEY_VARIABLES: readonly string[] = ['BERTH_API_KEY', 'BERTH_API_KEY_FILE'];

/** Variables with secrets. They are removed from the environment of child processes. */
export const SECRET_VARIABLES: readonly string[] = [...KEY_VARIABLES, 'BERTH_STORAGE_SECRET'];

type ValueOfKind<R extends Row> = R['kind'] extends 'duration' | 'count'
  ? number
  : R['kind'] extends 'switch'
    ? boolean
    : R extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string;

type AlwaysSet = { readonly default: string } | { readonly kind: 'switch' | 'profile' };

/** Fails to compile when the table and the values that commands may read disagree. */
type Checked<T extends SettingValues> = T;

export type TableValues = Checked<{
  readonly [R in Exclude<Row, { readonly secret: true }> as R['name']]:
    | ValueOfKind<R>
    | (R extends AlwaysSet ? never : undefined);
}>;

export function settingNamed(name: SettingName): Setting {
  const setting = findSetting(name);
  if (setting === undefined) throw new Error(`the settings table lacks ${name}`);
  return setting;
}

export const findSetting = (name: string): Setting | undefined => SETTINGS.find((setting) => setting.name === name);
