import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { berth, linesOf, type Message, printed, sentence } from '../../core/message.ts';

/** `SKIPPED`: could not be checked because of the finding of another row. */
export interface Check {
  readonly check: string;
  readonly result: 'OK' | 'WARNING' | 'ERROR' | 'SKIPPED';
  readonly finding: string;
  readonly hint?: Message | undefined;
  readonly exit?: ExitCode;
}

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

/** The same failure is reported once: further rows name the first one. */
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

/** Rethrows what is not a Failure. */
export function failedRow(check: string, error: unknown): Check {
  if (!(error instanceof Failure)) throw error;
  return { check, result: 'ERROR', finding: error.message, hint: adviceOf(error), exit: error.exit };
}

export const PROXY_ADVICE =
  'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY to reach it without a proxy.';

/** If the failure itself advises to run doctor. */
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

export const advice = ({ check, result, finding, hint }: Check): readonly Message[] =>
  result === 'OK' || result === 'SKIPPED'
    ? []
    : ['', `${check}: ${finding}`, ...linesOf(hint).map((line) => sentence`  -> ${line}`)];

/** The checks that send nothing: settings, proxy and key. */

export interface SettingsFinding {
  readonly check: Check;
  /** False where the settings do not say it. */
  readonly local: boolean;
}

export async function settingsCheck(ctx: CommandContext, failed: FailedRow): Promise<SettingsFinding> {
  const name = 'settings';
  try {
    const { local } = ctx.settings;
    if (local) return { check: ok(name, 'the local service in this process'), local };
    await ctx.profiles.list();
    return { check: ok(name, `profile ${ctx.settings.profile}, in ${ctx.profiles.path}`), local };
  } catch (error) {
    return { check: failed(name, error), local: false };
  }
}

/** The lower-case one is used when both spellings are set. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** Without its password; undefined for text that is not an address. */
function proxyHost(value: string): string | undefined {
  const full = value.includes('://') ? value : `http://${value}`;
  return URL.canParse(full) ? new URL(full).host : undefined;
}

const proxiesOf = ({ env }: CommandContext): readonly { readonly name: string; readonly host: string | undefined }[] =>
  PROXY_VARIABLES.flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    return value === '' ? [] : [{ name, host: proxyHost(value) }];
  });

export function proxyCheck(ctx: CommandContext): Check {
  const proxies = proxiesOf(ctx);
  const wrong = proxies.find(({ host }) => host === undefined);
  if (wrong !== undefined)
    return {
      check: 'proxy',
      result: 'ERROR',
      finding: `${wrong.name} is not an address`,
      hint: 'Set it to http://HOST:PORT, or unset it.',
      exit: EXIT.usage,
    };
  return ok('proxy', proxies.map(({ name, host }) => `${name}=${host ?? ''}`).join(' ') || 'none');
}

/** Unless NO_PROXY names the host. */
export function proxyOf(
  ctx: CommandContext,
  address: string | undefined,
): { readonly host: string; readonly variable: string } | undefined {
  // Plain http goes to this machine only, and never through a proxy.
  if (address?.startsWith('https:') !== true) return undefined;
  const used = proxiesOf(ctx).find(({ name }) => name.toLowerCase() === 'https_proxy');
  return used?.host === undefined ? undefined : { host: used.host, variable: used.name };
}

export async function keyCheck(ctx: CommandContext, { local }: SettingsFinding, failed: FailedRow): Promise<Check> {
  if (local) return ok('key', 'not needed');
  try {
    const key = await ctx.settings.key();
    if (key !== undefined) return ok('key', `from the ${key.source}${key.tail === '' ? '' : `, ends in ${key.tail}`}`);
    return {
      check: 'key',
      result: 'ERROR',
      finding: 'there is no key',
      hint: sentence`Log in: ${berth`auth login`}. Or use --local.`,
      exit: EXIT.denied,
    };
  } catch (error) {
    return failed('key', error);
  }
}
