/** Variables of the caller that tests see: where programs are, and what chooses or repeats tests. */
const KEPT: readonly RegExp[] = [
  /^PATH$/,
  // What vitest sets for its workers.
  /^(VITEST.*|TEST|NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|FORCE_TTY)$/,
  // The program under test, the contract, the contract that local services answer, and seeds and lengths of trials.
  /^(BERTH_E2E_NODE|BERTH_E2E_PROGRAM|BERTH_CONTRACT_DIR|BERTH_CREATE_KILLS|BERTH_APPLY_FAULTS|BERTH_EXIT_CODES|BERTH_SSHD_USER|BERTH_FLEET_SEED|BERTH_FLEET_RUNS)$/,
  /^(LOCK_TRIALS|UPDATE_DOCUMENTS)$/,
];

type Variables = Readonly<Record<string, string | undefined>>;

/** Values that are the same on every machine. HOME is not set: a test that needs one makes it. */
const FIXED = { LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'xterm-256color' } as const;

/** What the mode of a new file is made with, whatever the caller has. */
export const UMASK = 0o022;

/** Returns the environment of a test process: a few variables of the caller's, and values that are the same everywhere. */
export const testEnvironment = (caller: Variables, temporaryFolder: string): Variables => ({
  ...Object.fromEntries(Object.entries(caller).filter(([name]) => KEPT.some((kept) => kept.test(name)))),
  ...FIXED,
  NODE_ENV: 'test',
  TMPDIR: temporaryFolder,
});
