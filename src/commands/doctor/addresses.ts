import { type CommandContext, isLocalService } from '../../cli/model/context.ts';
import {
  type Check,
  failedRow,
  type FailedRow,
  ok,
  PROXY_ADVICE,
  proxyOf,
  type SettingsFinding,
  skipped,
} from './environment.ts';
import { endsInVersion } from '../../core/addresses.ts';
import { type ApiAnswer, type ApiRequest, readRequest, type ServiceName } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { memberAt, numberAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import type { SettingsView } from '../../core/settings.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { type SettingName, settingNamed } from '../../settings/settings-table.ts';

/** Names the variable or flag, which win over the profile, or the command that removes the setting. */
function unsetLine(settings: Pick<SettingsView, 'source'>, name: SettingName): Message {
  const { flag = '', variable = '' } = settingNamed(name);
  switch (settings.source(name)) {
    case 'flag':
      return `leave out ${flag}`;
    case 'environment':
      return `unset the variable ${variable}`;
    default:
      return berth`config unset ${name}`;
  }
}

/** The checks of the addresses: each is sent one cheap read. */

/** A larger difference makes times in answers, tokens and log cursors wrong. */
const MAX_SKEW_MS = MINUTE_MS;

interface Probe {
  readonly service: ServiceName;
  readonly setting: 'base-url' | 'queue-url' | 'rest-url';
  readonly path: readonly string[];
  readonly needed: boolean;
  /** If absent, any readable answer will do. */
  readonly member?: string;
}

/** Only the management API must answer with a list: a refusal by the others proves the address too. */
const PROBES: readonly Probe[] = [
  {
    service: 'base',
    setting: 'base-url',
    path: ['v2', 'registries', 'delegations'],
    needed: true,
    member: 'delegations',
  },
  { service: 'queue', setting: 'queue-url', path: ['v2', 'berth-doctor', 'health'], needed: true },
  { service: 'rest', setting: 'rest-url', path: ['v1', 'networkvolumes'], needed: false },
];

/** A failed address is not tried again for a second service. */
export async function addressChecks(
  ctx: CommandContext,
  settings: SettingsFinding,
  failed: FailedRow,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const unreached = new Set<string>();
  for (const probe of PROBES) {
    const found = await addressCheck(ctx, probe, settings, failed, unreached);
    checks.push(...found);
  }
  return checks;
}

async function addressCheck(
  ctx: CommandContext,
  probe: Probe,
  { local }: SettingsFinding,
  failed: FailedRow,
  unreached: Set<string>,
): Promise<readonly Check[]> {
  const { setting, service, path, member } = probe;
  let address: string | undefined;
  try {
    address = local ? 'the local service' : ctx.settings.get(setting);
  } catch (error) {
    return [failed(setting, error)];
  }
  if (address === undefined && !probe.needed) return [ok(setting, 'not set; the management API is used for volumes')];
  if (address !== undefined && unreached.has(address)) return [skipped(setting, `${address}: see base-url`)];
  const answers = ok(setting, `${address ?? ''} answers`);
  try {
    // No retries: the current state is the finding.
    const request: ApiRequest = { service, method: 'GET', path, expects: 'anything', once: true };
    const answer = await ctx.api.send(request);
    if (member !== undefined && memberAt(answer.value ?? null, member) === undefined)
      return [notTheService(setting, address, 'what answers is not the service')];
    return [answers, ...(await clockCheck(ctx, service, answer))];
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.status === undefined) {
      if (address !== undefined) unreached.add(address);
      return [namingProxy(ctx, address, failed(setting, error))];
    }
    return [refused(probe, address, error, answers, ctx.settings)];
  }
}

/** If the failure does not name it. */
function namingProxy(ctx: CommandContext, address: string | undefined, check: Check): Check {
  const proxy = proxyOf(ctx, address);
  const { result, finding } = check;
  if (result !== 'ERROR' || proxy === undefined || finding.includes(proxy.host)) return check;
  const name = `the proxy ${proxy.host} (${proxy.variable})`;
  const named = finding.includes('the proxy')
    ? finding.replace('the proxy', name)
    : `${finding}; ${name} is set for it`;
  return { ...check, finding: named, hint: PROXY_ADVICE };
}

function refused(
  { service, setting, member }: Probe,
  address: string | undefined,
  error: Failure,
  answers: Check,
  settings: CommandContext['settings'],
): Check {
  const { status = 0 } = error;
  if (status === 404 && (member !== undefined || (address !== undefined && endsInVersion(address))))
    return notTheService(setting, address, 'it answers, and has nothing where the service has its lists (404)');
  if (service === 'rest' && status === 410) return retired(settings, address);
  const isAnswer = status < 500 && status !== 401 && status !== 407 && member === undefined;
  return isAnswer ? answers : failedRow(setting, error);
}

/** Additions to the contract, 4. */
const retired = (settings: CommandContext['settings'], address: string | undefined): Check => ({
  check: 'rest-url',
  result: 'WARNING',
  finding: `${address ?? ''}: the older volume API (v1) is retired (410); volumes are created with the management API`,
  hint: sentence`Drop the address: ${unsetLine(settings, 'rest-url')}.`,
});

function notTheService(check: string, address: string | undefined, what: string): Check {
  return {
    check,
    result: 'ERROR',
    finding: `${address ?? ''}: ${what}`,
    hint:
      address !== undefined && endsInVersion(address)
        ? 'The address ends in a version, and berth adds one itself: leave it out.'
        : 'Check the address: it is the part before /v2.',
    exit: EXIT.notFound,
  };
}

async function clockCheck(ctx: CommandContext, service: ServiceName, answer: ApiAnswer): Promise<readonly Check[]> {
  const told = Date.parse(answer.headers['date'] ?? '');
  if (service !== 'base' || Number.isNaN(told)) return [];
  // eslint-disable-next-line no-restricted-syntax -- a date, compared with a date
  const ahead = told - ctx.clock.now();
  const off = formatDuration(Math.abs(ahead));
  if (Math.abs(ahead) <= MAX_SKEW_MS) return [ok('clock', "within a minute of the service's")];
  const advanced = isLocalService(answer) ? await advancedBy(ctx) : undefined;
  if (advanced === undefined)
    return [
      {
        check: 'clock',
        result: 'WARNING',
        finding: `${off} away from the service's`,
        hint: "Set this machine's clock.",
      },
    ];
  const unexplained = ahead - advanced;
  if (Math.abs(unexplained) <= MAX_SKEW_MS)
    return [ok('clock', `advanced by ${formatDuration(advanced)} (local clock advance)`)];
  return [
    {
      check: 'clock',
      result: 'WARNING',
      finding: `the local service is ${formatDuration(Math.abs(unexplained))} ${unexplained > 0 ? 'ahead of' : 'behind'} this machine's clock`,
      hint: sentence`This machine's clock was changed. The local service's time goes on from there. To set it anew: ${berth`local reset`}`,
    },
  ];
}

/** By `local clock advance`; undefined if unknown. */
async function advancedBy(ctx: CommandContext): Promise<number | undefined> {
  try {
    const clock = await ctx.api.send(readRequest(['local', 'clock']));
    return numberAt(clock.value ?? null, 'advancedMs');
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
