import type { Blocking, SettingsView, Sink, Terminal } from '../core/context.ts';
import type { DataText, TerminalText } from '../core/safe-text.ts';
import type { EpochMs } from '../core/unit-types.ts';

/** Where results are printed. A Context is one. */
export interface Output {
  /** Data and nothing else. */
  readonly stdout: Sink<DataText | TerminalText>;
  /** Messages to a person. */
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Terminal;
  /** What chose the account, for commands that are printed. */
  readonly settings: Pick<SettingsView, 'accountWords'>;
  /** The service's time, for ages. */
  readonly serviceNow: () => EpochMs;
  /** Runs jq so that a signal can end it; absent where `--jq` cannot be used. */
  readonly blocking?: Blocking;
}
