import type { SettingsView } from '../../core/context.ts';
import { Failure } from '../../core/failure.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import type { Json } from '../../core/json.ts';
import { berth, linesOf, type Message, printed, sentence } from '../../core/message.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';

/** One row of `berth doctor`. `SKIPPED`: it could not be checked because of the finding of another row. */
export interface Check {
  readonly check: string;
  readonly result: 'OK' | 'WARNING' | 'ERROR' | 'SKIPPED';
  readonly finding: string;
  readonly hint?: Message | undefined;
  readonly exit?: ExitCode;
}

/** What `doctor --json` prints. */
export const CHECKS = manyOf(
  ownObject({ check: TEXT, result: oneOf('OK', 'WARNING', 'ERROR', 'SKIPPED'), finding: TEXT, hint: orNull(TEXT) }),
);

export const ok = (check: string, finding: string): Check => ({ check, result: 'OK', finding });
export const skipped = (check: string, finding: string): Check => ({ check, result: 'SKIPPED', finding });

export const asRow = ({ check, result, finding, hint }: Check, settings: Pick<SettingsView, 'accountWords'>): Json => ({
  check,
  result,
  finding,
  hint: hint === undefined ? null : printed(hint, settings),
});

export type FailedRow = (check: string, error: unknown) => Check;

/** The rows of the failed checks of one run. The same failure is reported once: further rows name the first one. */
export function createFailedRow(): FailedRow {
  const reported = new Map<string, string>();
  return (check, error) => {
    const row = failedRow(check, error);
    const first = reported.get(row.finding);
    if (first !== undefined) return skipped(check, `not known: see ${first}`);
    reported.set(row.finding, check);
    return row;
  };
}

/** The row of a check that failed. Rethrows what is not a Failure. */
export function failedRow(check: string, error: unknown): Check {
  if (!(error instanceof Failure)) throw error;
  return { check, result: 'ERROR', finding: error.message, hint: adviceOf(error), exit: error.exit };
}

export const PROXY_ADVICE =
  'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY to reach it without a proxy.';

/** What to do about a failure, where the failure itself advises to run doctor. */
function adviceOf({ code, status, hint, message }: Failure): Message | undefined {
  if (code === 'certificate')
    return /expired|not valid yet/.test(message)
      ? "Nothing was sent. If this machine's clock is right, tell whoever runs the service."
      : sentence`Nothing was sent. Check that the address is the right one: ${berth`config list`}.`;
  if (code === 'unavailable' && status === undefined)
    return message.includes('proxy')
      ? PROXY_ADVICE
      : sentence`Check the address (${berth`config list`}), the network, and that the service is up.`;
  return hint;
}

/** The finding and the hint of a check that is not well, as lines for stderr. */
export const advice = ({ check, result, finding, hint }: Check): readonly Message[] =>
  result === 'OK' || result === 'SKIPPED'
    ? []
    : ['', `${check}: ${finding}`, ...linesOf(hint).map((line) => sentence`  -> ${line}`)];
