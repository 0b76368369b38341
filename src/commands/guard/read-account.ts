import { unlessFailed } from '../../core/failure.ts';
import { numberAt } from '../../core/json.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { AccountAmount } from '../../guard/conditions.ts';
import type { Condition } from '../../guard/rules.ts';
import { SUMMARY } from '../billing/report/service-reports.ts';
import { monthStart } from '../billing/report/forecast.ts';
import { readRate } from '../shared/rate/read-rate.ts';

/**
 * What the account costs an hour and has cost in this month (UTC), as far as rules of these kinds ask for it; undefined
 * where it cannot be read.
 */
export async function readAccount(ctx: CommandContext, kinds: readonly Condition['kind'][], now: number) {
  const perHour = async (): Promise<AccountAmount> => {
    const { total, unknown } = await readRate(ctx);
    return { dollars: total, atLeast: unknown.length > 0 };
  };
  const month = async (): Promise<AccountAmount> => {
    const query = { startTime: formatTimestamp(monthStart(now)), endTime: formatTimestamp(now), bucketSize: 'day' };
    const { values } = await listRows(ctx, { path: SUMMARY.path, member: 'records' }, query);
    const amounts = values.map((record) => numberAt(record, 'totalAmount'));
    return {
      dollars: amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0),
      atLeast: amounts.includes(undefined),
    };
  };
  return {
    perHour: kinds.includes('account-per-hour') ? await unlessFailed(ctx, perHour) : undefined,
    month: kinds.includes('account-month') ? await unlessFailed(ctx, month) : undefined,
  };
}
