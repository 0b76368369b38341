/** The checks that send nothing: settings, proxy and key. */
import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ok, type Check, type FailedRow } from './check.ts';

/** The settings, as far as they can be read. */
export interface SettingsFinding {
  readonly check: Check;
  /** Whether requests go to the local service; false where the settings do not say it. */
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

/** The variables that name a proxy. The lower-case one is used when both spellings are set. */
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** Host and port of a proxy, without its password; undefined for text that is not an address. */
function proxyHost(value: string): string | undefined {
  const full = value.includes('://') ? value : `http://${value}`;
  return URL.canParse(full) ? new URL(full).host : undefined;
}

/** `HTTPS_PROXY=proxy.example.com:3128` for each variable that names a proxy. */
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

/** The proxy that requests to an address go through, unless NO_PROXY names the host, and the variable that names it. */
export function proxyOf(
  ctx: CommandContext,
  address: string | undefined,
): { readonly host: string; readonly variable: string } | undefined {
  // A request over plain http goes to this machine only, and never through a proxy.
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
