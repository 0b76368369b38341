/** What a check finds, and the checks that send nothing: settings, proxy and key. */
import type { CommandContext } from '../../cli/model/context.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { berth, type Message, sentence } from '../../core/message.ts';

/** `SKIPPED`: could not be checked because of the finding of another row. */
export interface Check {
  readonly check: string;
  readonly result: 'OK' | 'WARNING' | 'ERROR' | 'SKIPPED';
  readonly finding: string;
  readonly hint?: Message | undefined;
  readonly exit?: ExitCode;
}

export const ok = (check: string, finding: string): Check => ({ check, result: 'OK', finding });

export const failed = (check: string, exit: ExitCode, finding: string, hint: Message | undefined): Check => ({
  ...{ check, result: 'ERROR', exit, finding, hint },
});

export const PROXY_ADVICE =
  'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY to reach it without a proxy.';

/** Rethrows what is not a Failure. */
export function failedWith(check: string, error: unknown): Check {
  if (!(error instanceof Failure)) throw error;
  return failed(check, error.exit, error.message, adviceOf(error));
}

/** In place of a hint that says to run doctor. */
function adviceOf({ code, status, hint, message }: Failure): Message | undefined {
  if (code === 'certificate')
    return /expired|not valid yet/.test(message)
      ? "Nothing was sent. If this machine's clock is right, tell whoever runs the service."
      : sentence`Nothing was sent. Check that the address is the right one: ${berth`config list`}.`;
  if (code !== 'unavailable' || status !== undefined) return hint;
  return message.includes('proxy')
    ? PROXY_ADVICE
    : sentence`Check the address (${berth`config list`}), the network, and that the service is up.`;
}

export async function settingsCheck(ctx: CommandContext): Promise<Check> {
  const name = 'settings';
  try {
    if (ctx.settings.local) return ok(name, 'the local service in this process');
    await ctx.profiles.list();
    return ok(name, `profile ${ctx.settings.profile}, in ${ctx.profiles.path}`);
  } catch (error) {
    return failedWith(name, error);
  }
}

/** The lower-case one is used when both spellings are set. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** `host` has no password; it is undefined for text that is not an address. */
export const proxiesOf = ({
  env,
}: CommandContext): readonly { readonly name: string; readonly host: string | undefined }[] =>
  PROXY_VARIABLES.flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') return [];
    const full = value.includes('://') ? value : `http://${value}`;
    return [{ name, host: URL.canParse(full) ? new URL(full).host : undefined }];
  });

export function proxyCheck(ctx: CommandContext): Check {
  const proxies = proxiesOf(ctx);
  const wrong = proxies.find(({ host }) => host === undefined);
  if (wrong === undefined)
    return ok('proxy', proxies.map(({ name, host }) => `${name}=${host ?? ''}`).join(' ') || 'none');
  return failed('proxy', EXIT.usage, `${wrong.name} is not an address`, 'Set it to http://HOST:PORT, or unset it.');
}

export async function keyCheck(ctx: CommandContext): Promise<Check> {
  try {
    if (ctx.settings.local) return ok('key', 'not needed');
    const key = await ctx.settings.key();
    if (key !== undefined) return ok('key', `from the ${key.source}${key.tail === '' ? '' : `, ends in ${key.tail}`}`);
    return failed('key', EXIT.denied, 'there is no key', sentence`Log in: ${berth`auth login`}. Or use --local.`);
  } catch (error) {
    return failedWith('key', error);
  }
}
