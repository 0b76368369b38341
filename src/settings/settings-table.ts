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
  /** No single source has it: the place or the service in use. */
  readonly derived?: boolean;
  /** When the profiles file is damaged, reading this setting fails instead of giving its default. */
  readonly failsWithFile?: boolean;
}

type SettingRow = SettingKind & SettingOptions;

export type Setting = SettingRow & {
  readonly name: SettingName;
  readonly variable: string;
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

/** `SETTING` fills in names: of a flag where there is one (`flag: ''`), and of a variable. */
const ROWS = {
  'base-url': url,
  'queue-url': url,
  'rest-url': url,
  'storage-url': { ...kept, kind: 'storage-address', flag: '' },
  'api-key': { ...kept, kind: 'key', secret: true },
  'api-key-file': { kind: 'path' },
  profile: { kind: 'profile', flag: '', derived: true },
  local: { kind: 'switch', flag: '', derived: true },
  timeout: { ...kept, kind: 'duration', bare: 's', flag: '', default: '30s' },
  retries: { ...kept, kind: 'count', least: 0, flag: '', default: '3' },
  access: { ...kept, kind: 'choice', choices: ['read', 'write', 'full'], failsWithFile: true, default: 'full' },
  output: { ...kept, kind: 'choice', choices: OUTPUT_FORMATS, flag: '' },
  'max-answer-bytes': { ...kept, kind: 'count', least: 1024, default: '67108864' },
  'worker-prefix': { ...everywhere, kind: 'identifier' },
  'secret-names': { ...everywhere, kind: 'text' },
  'secret-prefix': { ...kept, kind: 'identifier' },
  'pods-stop-after': hours,
  'pods-terminate-after': hours,
  guard: { ...everywhere, kind: 'choice', choices: ['off', 'warn'], default: 'off' },
  notify: { ...everywhere, kind: 'text' },
  'config-dir': { kind: 'path', derived: true },
  'data-dir': { kind: 'path', derived: true },
  'no-input': { kind: 'switch', flag: '' },
  quiet: { kind: 'switch', flag: '', short: '-q' },
  'no-color': { kind: 'switch', flag: '', variable: 'NO_COLOR' },
  verbose: { kind: 'switch', flag: '' },
} as const satisfies Readonly<Record<string, SettingRow>>;

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
  'data-dir': 'the directory for the state of the local service and for what berth remembers',
  'no-input': 'never ask; a missing value is an error',
  quiet: 'print no progress, prices or notes',
  'no-color': 'no colour',
  verbose: 'print each request and answer on stderr, secrets redacted',
};

type Rows = typeof ROWS;
export type SettingName = keyof Rows;

const settings: Partial<Record<SettingName, Setting>> = {};
for (const [key, row] of Object.entries<SettingRow>(ROWS)) {
  const name = key as SettingName;
  const names = { name, variable: `BERTH_${name.replaceAll('-', '_').toUpperCase()}`, summary: SUMMARIES[name] };
  settings[name] = { secret: false, inProfile: false, ...names, ...row, ...('flag' in row && { flag: `--${name}` }) };
}

export const SETTING = settings as Readonly<Record<SettingName, Setting>>;

/** In the order of help. */
export const SETTINGS: readonly Setting[] = Object.values(SETTING);

export const findSetting = (name: string): Setting | undefined =>
  Object.hasOwn(SETTING, name) ? SETTING[name as SettingName] : undefined;

export const ADDRESSES = ['base-url', 'queue-url', 'rest-url'] as const satisfies readonly SettingName[];

export const KEY_VARIABLES: readonly string[] = ['BERTH_API_KEY', 'BERTH_API_KEY_FILE'];

/** Variables with secrets. They are removed from the environment of child processes. */
export const SECRET_VARIABLES: readonly string[] = [...KEY_VARIABLES, 'BERTH_STORAGE_SECRET'];

type ValueOfKind<R extends SettingKind> = R['kind'] extends 'duration' | 'count'
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
  readonly [N in SettingName as Rows[N] extends { readonly secret: true } ? never : N]:
    | ValueOfKind<Rows[N]>
    | (Rows[N] extends AlwaysSet ? never : undefined);
}>;
