import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { endsInVersion } from '../core/address.ts';
import { memberAt, numberOf, type Json } from '../core/json.ts';
import type { ApiAnswer, ServiceName } from '../core/api.ts';
import { formatDuration } from '../core/units.ts';
import { defineCommand } from '../cli/command.ts';
import type { CommandContext } from '../cli/context.ts';
import { text } from '../output/layout/cells.ts';
import { toned } from '../cli/resource/detail-lines.ts';
import type { View } from '../output/view.ts';

const doctorView: View = {
  noun: ['check', 'checks'],
  id: (row) => text('check')(row),
  columns: [
    { header: 'CHECK', show: text('check') },
    { header: 'RESULT', show: toned('result', { OK: 'good', WARNING: 'warn', ERROR: 'bad' }) },
    { header: 'FINDING', show: text('finding') },
    // Printed below the table as well, where it is never cut.
    { header: 'WHAT TO DO', show: text('hint'), wide: true },
  ],
};

interface Check {
  readonly check: string;
  readonly result: 'OK' | 'WARNING' | 'ERROR';
  readonly finding: string;
  readonly hint?: string | undefined;
  readonly exit?: ExitCode;
}

/** A larger difference of the clocks makes times in answers, tokens and log cursors wrong. */
const MAX_SKEW_MS = 60_000;

/**
 * A cheap read for each address. The management API has to answer with a list. For the others any readable answer will
 * do, a refusal too: the queue has no endpoint of that name, and an older volume API may have no list.
 */
const PROBES: readonly {
  readonly service: ServiceName;
  readonly setting: 'base-url' | 'queue-url' | 'rest-url';
  readonly path: readonly string[];
  readonly needed: boolean;
  /** The member that the answer must have; any readable answer will do where absent. */
  readonly member?: string;
}[] = [
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

export const doctor = defineCommand({
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  examples: [
    ['berth doctor', 'each check, and what to do where one fails'],
    ['berth doctor --json', 'for a script'],
  ],
  details: 'Ends 0 only when all is well; else with the exit code of the first thing that is not.',
  run: async (ctx) => {
    const checks: Check[] = [await settingsCheck(ctx), proxyCheck(ctx), await keyCheck(ctx)];
    for (const probe of PROBES) checks.push(...(await addressChecks(ctx, probe)));
    const bad = checks.find((each) => each.result === 'ERROR');
    return {
      kind: 'many',
      view: doctorView,
      values: checks.map(asRow),
      notes: ctx.output.format === undefined || ctx.output.format === 'table' ? checks.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});

const asRow = ({ check, result, finding, hint }: Check): Json => ({ check, result, finding, hint: hint ?? null });

/** The finding and the hint of a failed check, as lines for stderr. */
const advice = ({ check, result, finding, hint }: Check): readonly string[] =>
  result === 'OK' ? [] : ['', `${check}: ${finding}`, ...(hint?.split('\n') ?? []).map((line) => `  -> ${line}`)];

const failed = (check: string, error: unknown): Check => {
  if (!(error instanceof Failure)) throw error;
  return { check, result: 'ERROR', finding: error.message, hint: error.hint, exit: error.exit };
};

async function settingsCheck(ctx: CommandContext): Promise<Check> {
  if (ctx.settings.local) return { check: 'settings', result: 'OK', finding: 'the local service in this process' };
  try {
    await ctx.profiles.list();
    return { check: 'settings', result: 'OK', finding: `profile ${ctx.settings.profile}, in ${ctx.profiles.path}` };
  } catch (error) {
    return failed('settings', error);
  }
}

function proxyCheck(ctx: CommandContext): Check {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
  const set = names.flatMap((name) =>
    ctx.env[name] === undefined || ctx.env[name] === '' ? [] : [{ name, value: ctx.env[name] ?? '' }],
  );
  const [first] = set;
  if (first === undefined) return { check: 'proxy', result: 'OK', finding: 'none' };
  const address = URL.canParse(first.value) ? new URL(first.value) : undefined;
  if (address === undefined)
    return {
      check: 'proxy',
      result: 'ERROR',
      finding: `${first.name} is not an address`,
      hint: `Set it to http://HOST:PORT, or unset it.`,
      exit: EXIT.usage,
    };
  return {
    check: 'proxy',
    result: 'OK',
    finding: set.map(({ name, value }) => `${name}=${URL.canParse(value) ? new URL(value).host : '?'}`).join(' '),
  };
}

async function keyCheck(ctx: CommandContext): Promise<Check> {
  if (ctx.settings.local) return { check: 'key', result: 'OK', finding: 'not needed' };
  try {
    const key = await ctx.settings.key();
    if (key === undefined)
      return {
        check: 'key',
        result: 'ERROR',
        finding: 'there is no key',
        hint: 'Log in with `berth auth login`, or use --local.',
        exit: EXIT.denied,
      };
    return { check: 'key', result: 'OK', finding: `from the ${key.source}, ends in ${key.tail}` };
  } catch (error) {
    return failed('key', error);
  }
}

async function addressChecks(ctx: CommandContext, probe: (typeof PROBES)[number]): Promise<readonly Check[]> {
  const address = ctx.settings.local ? 'the local service' : ctx.settings.get(probe.setting);
  if (address === undefined && !probe.needed)
    return [{ check: probe.setting, result: 'OK', finding: 'not set; the management API is used for volumes' }];
  const answers = { check: probe.setting, result: 'OK', finding: `${address ?? ''} answers` } as const;
  try {
    const answer = await ctx.api.send({ service: probe.service, method: 'GET', path: probe.path, expects: 'anything' });
    if (probe.member !== undefined && memberAt(answer.value ?? null, probe.member) === undefined)
      return [notTheService(probe.setting, address, 'what answers is not the service')];
    return [answers, ...(await clockCheck(ctx, probe.service, answer))];
  } catch (error) {
    if (!(error instanceof Failure) || error.status === undefined) return [failed(probe.setting, error)];
    const { status } = error;
    if (status === 404 && (probe.member !== undefined || (address !== undefined && endsInVersion(address))))
      return [
        notTheService(probe.setting, address, 'it answers, and has nothing where the service has its lists (404)'),
      ];
    const refused = status < 500 && status !== 401;
    return refused && probe.member === undefined ? [answers] : [failed(probe.setting, error)];
  }
}

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
  if (Math.abs(ahead) <= MAX_SKEW_MS)
    return [{ check: 'clock', result: 'OK', finding: "within a minute of the service's" }];
  const advanced = answer.headers['server'] === 'berth-local' ? await advancedBy(ctx) : undefined;
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
    return [{ check: 'clock', result: 'OK', finding: `advanced by ${formatDuration(advanced)} (local clock advance)` }];
  return [
    {
      check: 'clock',
      result: 'WARNING',
      finding: `the local service is ${formatDuration(Math.abs(unexplained))} ${unexplained > 0 ? 'ahead of' : 'behind'} this machine's clock`,
      hint: "This machine's clock was changed. The local service's time goes on from there; `berth local reset` sets it anew.",
    },
  ];
}

/** How far `local clock advance` has moved the clock of a local service, in milliseconds; undefined where unknown. */
async function advancedBy(ctx: CommandContext): Promise<number | undefined> {
  try {
    const clock = await ctx.api.send({ service: 'base', method: 'GET', path: ['local', 'clock'] });
    return numberOf(memberAt(clock.value ?? null, 'advancedMs'));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
