import { type ApiAnswer, readRequest } from '../../core/api.ts';
import { isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { isObject, type Json, memberAt, numberAt, objectOf, stringAt } from '../../core/json.ts';
import { HOUR_MS } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { contractSchema } from '../../cli/model/output-schema.ts';
import { perHour } from '../../cli/money.ts';
import { memberLabel, otherMembers } from '../../cli/resource/fields.ts';
import { answerResult, asksForData, type Section, type View } from '../../output/view.ts';
import { ofAccount } from './rate.ts';
import { sshKeys } from './ssh-keys.ts';

/** Their addresses are inferred by the contract: a 404 is not about the account. */
export const readAccount = (ctx: Pick<CommandContext, 'api'>, ...path: readonly string[]): Promise<ApiAnswer> =>
  ctx.api.send(readRequest(['v2', ...path])).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const nothing = { title: undefined, detail: undefined, hint: undefined };
    throw error.with({ message: 'the service does not offer this', ...nothing });
  });

/** A line a member, also of objects whose members are not published. */
const linesOf = (row: Json, prefix = ''): Section['lines'] =>
  Object.entries(objectOf(row) ?? {}).flatMap(([name, value = null]) => {
    const label = prefix + memberLabel(name);
    return isObject(value) && prefix === '' ? linesOf(value, `${label} `) : otherMembers({ [label]: value }, []);
  });

const viewOf = (noun: string): View => ({
  noun: [noun, noun],
  id: (row) => stringAt(row, 'id') ?? '',
  columns: [],
  detail: (row) => [{ lines: linesOf(row) }],
});

const show = defineCommand({
  summary: 'show the account of the key',
  output: () => contractSchema('Account'),
  examples: [['berth account show --json --jq .id --raw', 'its id; of a team, that of its owner']],
  run: async (ctx) => answerResult(viewOf('account'), await readAccount(ctx, 'account')),
});

const limits = defineCommand({
  summary: "show the account's limits on spending and workers",
  output: () => contractSchema('AccountLimits'),
  examples: [['berth account limits', 'and how much of each is used']],
  run: async (ctx) => answerResult(viewOf('limits'), await readAccount(ctx, 'account', 'limits')),
});

const balance = defineCommand({
  summary: 'show the balance, and how long it lasts',
  details: 'The time is an estimate from the lists of pods, endpoints and volumes. --json prints the balance alone.',
  output: () => contractSchema('AccountBalance'),
  examples: [['berth account balance', '$42.10, about 17h2m at $2.47/h']],
  run: async (ctx) => {
    const answer = await readAccount(ctx, 'billing', 'balance');
    if (asksForData(ctx.output)) return answerResult(viewOf('balance'), answer);
    const amount = numberAt(answer.value, 'balanceAmount') ?? 0;
    const line = (tail: string, notes: readonly string[] = []) =>
      ({ kind: 'text', text: `${formatDollars(amount)}${tail}\n`, notes }) as const;
    // At zero a prepaid account stops; a postpaid one goes on.
    if (memberAt(answer.value, 'billingMode') !== 'PREPAID') return line(', postpaid');
    try {
      return line(await runway(ctx, amount));
    } catch (error) {
      rethrowUnlessFailure(error, ctx);
      return line('', [`how long it lasts is unknown: ${error.message}`]);
    }
  },
});

async function runway(ctx: CommandContext, amount: number): Promise<string> {
  const { hourly } = await ofAccount(ctx);
  if (hourly === undefined || hourly.high <= 0 || amount <= 0) return '';
  return `, about ${formatDuration((amount / hourly.high) * HOUR_MS)} at ${perHour({ hourly, besides: [] })}`;
}

export const account = defineGroup('your account: balance, limits, SSH keys', {
  show,
  balance,
  limits,
  'ssh-keys': sshKeys,
});
