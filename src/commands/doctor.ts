import { defineCommand } from '../cli/model/command.ts';
import { type CommandContext, isLocalService } from '../cli/model/context.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT } from '../cli/model/output-schema.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { endsInVersion } from '../core/addresses.ts';
import { type ApiAnswer, readRequest } from '../core/api.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure, usage } from '../core/failure.ts';
import { memberAt } from '../core/json.ts';
import { berth, linesOf, type Message, printed, sentence } from '../core/message.ts';
import { MINUTE_MS } from '../core/unit-types.ts';
import { formatDuration } from '../core/units.ts';
import { text, toned } from '../output/cells.ts';
import { isTableOutput } from '../output/formats/format-table.ts';
import type { View } from '../output/view.ts';

/** `SKIPPED`: could not be checked because of the finding of another row. */
interface Check {
  readonly check: string;
  readonly result: 'OK' | 'WARNING' | 'ERROR' | 'SKIPPED';
  readonly finding: string;
  readonly hint?: Message | undefined;
  readonly exit?: ExitCode;
}

const CHECKS = manyOf(
  ownObject({ check: TEXT, result: oneOf('OK', 'WARNING', 'ERROR', 'SKIPPED'), finding: TEXT, hint: orNull(TEXT) }),
);

const doctorView: View = {
  noun: ['check', 'checks'],
  id: (row) => text(row, 'check'),
  columns: [
    textColumn('check'),
    {
      header: 'RESULT',
      show: (row) => toned(row, 'result', { OK: 'good', WARNING: 'warn', ERROR: 'bad', SKIPPED: 'quiet' }),
    },
    textColumn('finding'),
    // Printed below the table as well, where it is never truncated.
    { header: 'WHAT TO DO', show: (row) => text(row, 'hint'), wide: true },
  ],
};

export const doctor = defineCommand({
  output: () => CHECKS,
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  examples: [['berth doctor', 'each check, and what to do where one fails']],
  details:
    'Each request is sent once, without retries. Ends 0 only when all is well; else with the exit code of the first thing that is not.',
  run: async (ctx) => {
    const own = [
      await checked('settings', () => settingsFinding(ctx)),
      await checked('proxy', () => proxyFinding(ctx)),
      await checked('key', () => keyFinding(ctx)),
    ];
    const answers: ApiAnswer[] = [];
    const probes = PROBES.map((probe) => checked(probe.setting, () => addressFinding(ctx, probe, answers)));
    const [base, ...others] = await Promise.all(probes);
    const checks = [...own, base ?? [], ...answers.flatMap((answer) => clockCheck(ctx, answer)), others].flat();
    const shown = checks.map((check, at) => once(check, checks.slice(0, at)));
    const bad = shown.find((each) => each.result === 'ERROR');
    return {
      kind: 'many',
      view: doctorView,
      values: shown.map(({ check, result, finding, hint }) => ({
        check,
        result,
        finding,
        hint: hint === undefined ? null : printed(hint, ctx.settings),
      })),
      notes: isTableOutput(ctx.output) ? shown.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});

/** A failed check does not stop the others. */
async function checked(check: string, look: () => Promise<string> | string): Promise<Check> {
  try {
    return { check, result: 'OK', finding: await look() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { check, result: 'ERROR', exit: error.exit, finding: error.message, hint: adviceOf(error) };
  }
}

/** The same failure is said once: later rows name the first one. */
function once(check: Check, before: readonly Check[]): Check {
  const first = before.find(({ result, finding }) => result === 'ERROR' && finding === check.finding);
  if (first === undefined) return check;
  return { check: check.check, result: 'SKIPPED', finding: `not known: see ${first.check}` };
}

const advice = ({ check, result, finding, hint }: Check): readonly Message[] =>
  result === 'OK' || result === 'SKIPPED'
    ? []
    : ['', `${check}: ${finding}`, ...linesOf(hint).map((line) => sentence`  -> ${line}`)];

/** In place of a hint that says to run doctor. */
function adviceOf({ code, status, hint, message }: Failure): Message | undefined {
  if (code === 'certificate' && !/expired|not valid yet/.test(message))
    return sentence`Nothing was sent. Check that the address is the right one: ${berth`config list`}.`;
  if (code === 'certificate')
    return "Nothing was sent. If this machine's clock is right, tell whoever runs the service.";
  if (code !== 'unavailable' || status !== undefined) return hint;
  return message.includes('proxy')
    ? 'Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY to reach it without a proxy.'
    : sentence`Check the address (${berth`config list`}), the network, and that the service is up.`;
}

async function settingsFinding({ settings, profiles }: CommandContext): Promise<string> {
  if (settings.local) return 'the local service in this process';
  await profiles.list();
  return `profile ${settings.profile}, in ${settings.profilesPath}`;
}

/** Without passwords. The lower-case name is used when both spellings are set. */
function proxyFinding({ env }: CommandContext): string {
  const found = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') return [];
    const full = value.includes('://') ? value : `http://${value}`;
    if (!URL.canParse(full)) throw usage(`${name} is not an address`, 'Set it to http://HOST:PORT, or unset it.');
    return [`${name}=${new URL(full).host}`];
  });
  return found.join(' ') || 'none';
}

async function keyFinding({ settings }: CommandContext): Promise<string> {
  if (settings.local) return 'not needed';
  const key = await settings.key();
  if (key !== undefined) return `from the ${key.source}${key.tail === '' ? '' : `, ends in ${key.tail}`}`;
  const hint = sentence`Log in: ${berth`auth login`}. Or use --local.`;
  throw new Failure({ code: 'no-key', exit: EXIT.denied, message: 'there is no key', hint });
}

interface Probe {
  readonly service: 'base' | 'queue' | 'rest';
  readonly setting: 'base-url' | 'queue-url' | 'rest-url';
  readonly path: readonly string[];
}

/** Only the management API must answer with its list: a refusal by the others proves the address too. */
const PROBES: readonly Probe[] = [
  { service: 'base', setting: 'base-url', path: ['v2', 'registries', 'delegations'] },
  { service: 'queue', setting: 'queue-url', path: ['v2', 'berth-doctor', 'health'] },
  { service: 'rest', setting: 'rest-url', path: ['v1', 'networkvolumes'] },
];

/** Adds the answer of the management API to `answers`. */
async function addressFinding(
  ctx: CommandContext,
  { service, setting, path }: Probe,
  answers: ApiAnswer[],
): Promise<string> {
  const address = (ctx.settings.local ? 'the local service' : ctx.settings.get(setting)) ?? '';
  if (address === '' && service === 'rest') return 'not set; the management API is used for volumes';
  try {
    const answer = await ctx.api.send({ ...readRequest(path, { expects: 'anything' }), service, once: true });
    if (service === 'base' && memberAt(answer.value, 'delegations') === undefined)
      throw notTheService(address, 'what answers is not the service');
    if (service === 'base') answers.push(answer);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    const { status } = error;
    if (status === 404 && (service === 'base' || endsInVersion(address)))
      throw notTheService(address, 'it answers, and has nothing where the service has its lists (404)');
    const isAnswer = status !== undefined && status < 500 && status !== 401 && status !== 407 && service !== 'base';
    if (!isAnswer) throw error;
  }
  return `${address} answers`;
}

const notTheService = (address: string, what: string): Failure =>
  new Failure({
    code: 'not-the-service',
    exit: EXIT.notFound,
    message: `${address}: ${what}`,
    hint: endsInVersion(address)
      ? 'The address ends in a version, and berth adds one itself: leave it out.'
      : 'Check the address: it is the part before /v2.',
  });

/** A larger difference than a minute makes times in answers, tokens and log cursors wrong. */
function clockCheck(ctx: CommandContext, answer: ApiAnswer): readonly Check[] {
  // oxlint-disable-next-line berth/no-wall-clock -- a date, compared with a date
  const aheadMs = Date.parse(answer.headers['date'] ?? '') - ctx.clock.now();
  if (Number.isNaN(aheadMs)) return [];
  const off = formatDuration(Math.abs(aheadMs));
  const row = (result: Check['result'], finding: string, hint?: string) => [{ check: 'clock', result, finding, hint }];
  if (Math.abs(aheadMs) <= MINUTE_MS) return row('OK', "within a minute of the service's");
  return isLocalService(answer)
    ? row('OK', `the local service is ${off} ${aheadMs > 0 ? 'ahead' : 'behind'}`)
    : row('WARNING', `${off} away from the service's`, "Set this machine's clock.");
}
