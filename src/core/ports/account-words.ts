/**
 * The words with which a command acts, in another shell, on what the run that prints it acts on
 * (`SettingsView.accountWords`).
 */
export interface AccountWords {
  /** The profile that was named for this run: `--profile other`. Or `--local`. */
  readonly account: readonly string[];
  /** The addresses that were given for this run: `--queue-url https://queue.example.com`. */
  readonly addresses: readonly string[];
  /** The profile whose settings are in use, named or not: for commands that read or change what it keeps. */
  readonly profile: readonly string[];
  /** The address of the files on volumes that was given for this run. */
  readonly storage: readonly string[];
}
