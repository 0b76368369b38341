/**
 * An environment that no test may see: `npm test` starts every step with it. Nothing here is reachable, allowed or true.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

const NOWHERE = '/nonexistent';
/** A port of loopback on which nothing answers. */
const DEAD_PROXY = 'http://127.0.0.1:9';

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy', 'ftp_proxy'];
const XDG = ['CONFIG_HOME', 'DATA_HOME', 'CACHE_HOME', 'STATE_HOME', 'RUNTIME_DIR', 'CONFIG_DIRS', 'DATA_DIRS'];
const LOCALES = ['LC_ALL', 'LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'LC_MONETARY', 'LC_MESSAGES', 'LANGUAGE'];

/** The same value under several names. */
const all = (names, value) => Object.fromEntries(names.map((name) => [name, value]));

const TERMINAL = {
  TERM: 'dumb',
  COLUMNS: '20',
  LINES: '3',
  FORCE_COLOR: '3',
  NO_COLOR: '1',
  CI: 'true',
  PAGER: 'false',
  MANPAGER: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  BROWSER: 'false',
};

const SERVICES = {
  BERTH_API_KEY: 'key-of-another-account',
  BERTH_API_KEY_FILE: `${NOWHERE}/key`,
  BERTH_BASE_URL: 'https://base.invalid',
  BERTH_QUEUE_URL: 'https://queue.invalid',
  BERTH_REST_URL: 'https://rest.invalid',
  BERTH_STORAGE_URL: 'https://storage.invalid',
  BERTH_STORAGE_ACCESS_KEY: 'id-of-another-account',
  BERTH_STORAGE_SECRET: 'secret-of-another-account',
  BERTH_PROFILE: 'of-another-account',
  BERTH_LOCAL: '1',
  BERTH_CONFIG_DIR: `${NOWHERE}/config`,
  BERTH_DATA_DIR: `${NOWHERE}/data`,
  BERTH_WORKER_PREFIX: 'OTHER',
  BERTH_SECRET_PREFIX: 'OTHER',
  BERTH_SECRET_NAMES: 'name,id,epochs,data',
  BERTH_TIMEOUT: '1ms',
  BERTH_RETRIES: '0',
  BERTH_NO_INPUT: '1',
  BERTH_QUIET: '1',
  BERTH_VERBOSE: '1',
  BERTH_ACCESS: 'read',
  BERTH_OUTPUT: 'yaml',
  BERTH_MAX_ANSWER_BYTES: '1',
  BERTH_PODS_STOP_AFTER: '1h',
  BERTH_PODS_TERMINATE_AFTER: '1h',
  BERTH_GUARD: 'warn',
  BERTH_NOTIFY: `${NOWHERE}/notify`,
  AWS_ACCESS_KEY_ID: 'id-of-another-account',
  AWS_SECRET_ACCESS_KEY: 'not-a-secret',
  AWS_SESSION_TOKEN: 'not-a-token',
  SSH_AUTH_SOCK: `${NOWHERE}/agent`,
  SSH_ASKPASS: 'false',
  SSH_CONNECTION: '192.0.2.1 22 192.0.2.2 22',
  SSH_TTY: '/dev/null',
};

const PROGRAMS = {
  NODE_OPTIONS: '--max-http-header-size=1024',
  NODE_EXTRA_CA_CERTS: `${NOWHERE}/authorities.pem`,
  NODE_PATH: NOWHERE,
  NODE_REPL_HISTORY: NOWHERE,
  NODE_DEBUG: 'none',
  NODE_PENDING_DEPRECATION: '1',
  TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  TRACESTATE: 'other=1',
  PYTHONPATH: NOWHERE,
  PYTHONIOENCODING: 'ascii',
  MANPATH: NOWHERE,
  MANWIDTH: '20',
  BASH_ENV: `${NOWHERE}/bash`,
  ENV: `${NOWHERE}/sh`,
  ZDOTDIR: NOWHERE,
  TMUX: `${NOWHERE}/tmux,1,0`,
  TMUX_TMPDIR: NOWHERE,
  GIT_DIR: NOWHERE,
  DEBEMAIL: 'nobody@invalid',
  DEBFULLNAME: 'Nobody',
  SOURCE_DATE_EPOCH: '1',
};

/** Mode bits that new files of the steps do not get. */
export const HOSTILE_UMASK = 0o077;

/**
 * Returns the environment: the caller's with the variables above, without HOME, and with a temporary directory in `folder` whose
 * name has a space and letters beyond ASCII, and that no other user may enter.
 */
export function hostileEnvironment(caller, folder) {
  const rest = Object.fromEntries(Object.entries(caller).filter(([name]) => name !== 'HOME'));
  const temporary = path.join(folder, 'tmp ñandú');
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  return {
    ...rest,
    ...all([...PROXIES, ...PROXIES.map((name) => name.toUpperCase())], DEAD_PROXY),
    ...all(['no_proxy', 'NO_PROXY'], 'none.invalid'),
    ...all(
      XDG.map((name) => `XDG_${name}`),
      NOWHERE,
    ),
    // A language with letters of its own for upper and lower case, and commas in numbers.
    ...all(LOCALES, 'tr_TR.UTF-8'),
    LANG: 'tr_TR.UTF-8',
    // A quarter of an hour off, and a day ahead for most of the world.
    TZ: 'Pacific/Chatham',
    ...TERMINAL,
    ...SERVICES,
    ...PROGRAMS,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
  };
}
