import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { memberAt, numberOf, stringOf, type JsonObject } from '../../core/json.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { CommandContext } from '../../cli/context.ts';
import { option } from '../../cli/parse/params.ts';
import type { CreateRequest, WriteSpec } from '../../cli/resource/write.ts';
import { pickDataCenter } from '../shared/pickers.ts';
import { monthlyCost } from './price.ts';

/** Bounds of a volume in GB (contract rules; specification 2.4 and 8.3: beyond 4 TB, support). */
const LEAST_GB = 10;
const MOST_GB = 4096;

export const createSpec: WriteSpec = {
  summary: 'create a network volume',
  details: `Sizes are GB, ${String(LEAST_GB)} to ${String(MOST_GB)}; a volume can grow later and never shrink, and its data center and type are for good. The older volume API is used where a rest address is configured and no --type is asked for.`,
  members: {
    name: {
      param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
      path: 'name',
    },
    size: {
      param: option.count('how large, in GB', Number.MIN_SAFE_INTEGER, {
        metavar: 'GB',
        ask: { kind: 'text', question: `Size in GB (${String(LEAST_GB)} to ${String(MOST_GB)})` },
      }),
      path: 'size',
    },
    dataCenter: {
      param: option.text('the data center: see `berth catalog datacenters`', { metavar: 'DC', ask: pickDataCenter }),
      path: 'dataCenter',
    },
    type: { param: option.choice('the storage tier', ['STANDARD', 'HIGH_PERFORMANCE']), path: 'type' },
  },
  needed: ['name', 'size', 'dataCenter'],
  accepts: ['name', 'size', 'dataCenter', 'type'],
  setExample: 'size=200',
  // What the older API printed says where in a member of another name.
  adapt: ({ dataCenterId, ...document }) =>
    dataCenterId === undefined ? document : { dataCenter: dataCenterId, ...document },
  check: (body) => {
    checkSize(numberOf(body['size']));
    if (stringOf(body['dataCenter'])?.trim() === '') throw usage('--data-center is empty');
  },
  price: (ctx, body) =>
    Promise.resolve(
      ctx.terminal.errors
        ? `${String(numberOf(body['size']) ?? 0)} GB in ${stringOf(body['dataCenter']) ?? '?'} costs ${costOf(body)}.`
        : undefined,
    ),
  send,
  notes: (row, body) => [
    `Volume ${stringOf(memberAt(row, 'id')) ?? stringOf(body['name']) ?? ''} is created. It costs ${costOf(body)}, used or not, until it is deleted.`,
  ],
  examples: [['berth volumes create --name data --size 100 --data-center DC', 'a hundred GB of standard storage']],
};

const costOf = (body: JsonObject): string => monthlyCost(numberOf(body['size']) ?? 0, stringOf(body['type']));

/** Refuses a size out of bounds before anything is sent. Fails with usage (2). */
export function checkSize(size: number | undefined): void {
  if (size === undefined) return;
  if (size < LEAST_GB) throw usage(`--size is at least ${String(LEAST_GB)} GB; ${String(size)} is too small`);
  if (size > MOST_GB)
    throw usage(
      `--size is at most ${String(MOST_GB)} GB; ${String(size)} GB is beyond 4 TB`,
      'For volumes beyond 4 TB, contact the support of your service.',
    );
}

/**
 * POST {base}/v2/network-volumes; where a rest address is configured and no tier asked for, POST
 * {rest}/v1/networkvolumes (specification 4.4; contract rules, Addresses).
 */
async function send(ctx: CommandContext, request: CreateRequest): Promise<ApiAnswer> {
  const { dataCenter, ...body } = request.body;
  if (body['type'] !== undefined || ctx.settings.get('rest-url') === undefined) return await ctx.api.send(request);
  try {
    return await ctx.api.send({
      ...request,
      service: 'rest',
      path: ['v1', 'networkvolumes'],
      body: { ...body, dataCenterId: dataCenter },
    });
  } catch (error) {
    throw explained(error);
  }
}

/** The v1 host is being retired by its operators: where it is gone, say what to use. */
function explained(error: unknown): unknown {
  return error instanceof Failure && (error.status === 404 || error.status === 410)
    ? error.with({
        exit: EXIT.notFound,
        message: 'the older volume API (v1) at the rest address is not there any more',
        hint: 'Use the management API: name the tier with --type STANDARD, or drop the address with `berth config unset rest-url`.',
      })
    : error;
}
