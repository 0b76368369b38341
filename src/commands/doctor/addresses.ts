/** The checks of the addresses: each is sent one cheap read, without retries. */
import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import { type Check, failed, failedWith, ok, PROXY_ADVICE, proxiesOf } from './environment.ts';
import { endsInVersion } from '../../core/addresses.ts';
import type { ApiAnswer, ServiceName } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { type Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { memberAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { settingNamed } from '../../settings/settings-table.ts';

/** A larger difference makes times in answers, tokens and log cursors wrong. */
const MAX_SKEW_MS = MINUTE_MS;

interface Probe {
  readonly service: ServiceName;
  readonly setting: 'base-url' | 'queue-url' | 'rest-url';
  readonly path: readonly string[];
}

/** Only the management API must answer with its list: a refusal by the others proves the address too. */
const PROBES: readonly Probe[] = [
  { service: 'base', setting: 'base-url', path: ['v2', 'registries', 'delegations'] },
  { service: 'queue', setting: 'queue-url', path: ['v2', 'berth-doctor', 'health'] },
  { service: 'rest', setting: 'rest-url', path: ['v1', 'networkvolumes'] },
];

/** An address that cannot be reached is not tried again for a second service. */
export async function addressChecks(ctx: CommandContext): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const unreached = new Set<string>();
  for (const probe of PROBES) {
    const { setting, service } = probe;
    let address: string | undefined;
    try {
      address = ctx.settings.local ? 'the local service' : ctx.settings.get(setting);
      if (address === undefined && service === 'rest')
        checks.push(ok(setting, 'not set; the management API is used for volumes'));
      else if (address !== undefined && unreached.has(address))
        checks.push({ check: setting, result: 'SKIPPED', finding: `${address}: see base-url` });
      else checks.push(...(await answerChecks(ctx, probe, address)));
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      checks.push(unreachable(ctx, address, failedWith(setting, error)));
      if (address !== undefined) unreached.add(address);
    }
  }
  return checks;
}

/** Fails where no answer comes. */
async function answerChecks(
  ctx: CommandContext,
  { service, setting, path }: Probe,
  address: string | undefined,
): Promise<readonly Check[]> {
  const answers = ok(setting, `${address ?? ''} answers`);
  try {
    const answer = await ctx.api.send({ service, method: 'GET', path, expects: 'anything', once: true });
    if (service !== 'base') return [answers];
    if (memberAt(answer.value ?? null, 'delegations') === undefined)
      return [notTheService(setting, address, 'what answers is not the service')];
    return [answers, ...clockCheck(ctx, answer)];
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.status === undefined) throw error;
    if (service === 'rest' && error.status === 410) return [retired(ctx, address)];
    if (error.status === 404 && (service === 'base' || (address !== undefined && endsInVersion(address))))
      return [notTheService(setting, address, 'it answers, and has nothing where the service has its lists (404)')];
    return [isRefusal(error) && service !== 'base' ? answers : failedWith(setting, error)];
  }
}

const isRefusal = ({ status = 0 }: Failure): boolean => status < 500 && status !== 401 && status !== 407;

/** With the proxy of the address, which the failure may not name. */
function unreachable(ctx: CommandContext, address: string | undefined, check: Check): Check {
  // Plain http goes to this machine only, and never through a proxy.
  const proxy = proxiesOf(ctx).find(({ name, host }) => name.toLowerCase() === 'https_proxy' && host !== undefined);
  const host = proxy?.host ?? '';
  if (address?.startsWith('https:') !== true || proxy === undefined || check.finding.includes(host)) return check;
  return { ...check, finding: `${check.finding}; the proxy ${host} (${proxy.name}) is set for it`, hint: PROXY_ADVICE };
}

/** Additions to the contract, 4. */
const retired = ({ settings }: CommandContext, address: string | undefined): Check => {
  const { flag = '', variable = '' } = settingNamed('rest-url');
  const source = settings.source('rest-url');
  const unset: Message =
    source === 'flag'
      ? `leave out ${flag}`
      : source === 'environment'
        ? `unset the variable ${variable}`
        : berth`config unset rest-url`;
  return {
    check: 'rest-url',
    result: 'WARNING',
    finding: `${address ?? ''}: the older volume API (v1) is retired (410); volumes are created with the management API`,
    hint: sentence`Drop the address: ${unset}.`,
  };
};

const notTheService = (check: string, address = '', what: string): Check =>
  failed(
    check,
    EXIT.notFound,
    `${address}: ${what}`,
    endsInVersion(address)
      ? 'The address ends in a version, and berth adds one itself: leave it out.'
      : 'Check the address: it is the part before /v2.',
  );

function clockCheck(ctx: CommandContext, answer: ApiAnswer): readonly Check[] {
  // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with a date
  const aheadMs = Date.parse(answer.headers['date'] ?? '') - ctx.clock.now();
  if (Number.isNaN(aheadMs)) return [];
  if (Math.abs(aheadMs) <= MAX_SKEW_MS) return [ok('clock', "within a minute of the service's")];
  const off = formatDuration(Math.abs(aheadMs));
  if (isLocalService(answer)) return [ok('clock', `the local service is ${off} ${aheadMs > 0 ? 'ahead' : 'behind'}`)];
  const finding = `${off} away from the service's`;
  return [{ check: 'clock', result: 'WARNING', finding, hint: "Set this machine's clock." }];
}
