import { EXIT } from '../../core/exit.ts';
import { Failure, usage } from '../../core/failure.ts';
import { memberAt, stringOf } from '../../core/json.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Choice } from '../../core/context.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { option } from '../../cli/params.ts';
import { listRows } from '../../cli/resource/read.ts';
import { commandLine } from '../../cli/words.ts';
import { DATA_CENTERS } from '../catalog.ts';
import { monthlyCost } from './price.ts';
import { volumeView } from './view.ts';

/** Bounds of a volume in GB (contract rules; specification 2.4 and 8.3: beyond 4 TB, support). */
const LEAST_GB = 10;
const MOST_GB = 4096;

export const create = defineCommand({
  summary: 'create a network volume',
  details: `Sizes are GB, ${String(LEAST_GB)} to ${String(MOST_GB)}; a volume can grow later and never shrink, and its data center and type are for good. The older volume API is used where a rest address is configured and no --type is asked for.`,
  options: {
    name: option.requiredText('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
    size: option.requiredCount('how large, in GB', Number.MIN_SAFE_INTEGER, {
      metavar: 'GB',
      ask: { kind: 'text', question: `Size in GB (${String(LEAST_GB)} to ${String(MOST_GB)})` },
    }),
    dataCenter: option.requiredText('where', {
      metavar: 'DC',
      ask: { kind: 'pick', question: 'Data center', choices: dataCenters },
    }),
    type: option.choice('the storage tier', ['STANDARD', 'HIGH_PERFORMANCE']),
  },
  writes: true,
  examples: [['berth volumes create --name data --size 100 --data-center DC', 'a hundred GB of standard storage']],
  run: async (ctx, { name, size, dataCenter, type }) => {
    if (name.trim() === '') throw usage('--name is empty');
    if (dataCenter.trim() === '') throw usage('--data-center is empty');
    checkSize(size);
    const cost = monthlyCost(size, type);
    if (ctx.terminal.errors && !ctx.dryRun) await ctx.tell(`${String(size)} GB in ${dataCenter} costs ${cost}.`);
    const older = type === undefined && ctx.settings.get('rest-url') !== undefined;
    const answer = await ctx.api
      .send(older ? olderRequest(name, size, dataCenter) : request(name, size, dataCenter, type))
      .catch(older ? explainRetired : rethrow);
    const value = answer.value ?? null;
    const id = stringOf(memberAt(value, 'id')) ?? name;
    return {
      kind: 'one',
      view: volumeView,
      value,
      source: answer.text,
      notes: [`Volume ${id} is created. It costs ${cost}, used or not, until it is deleted.`],
    };
  },
});

/** Refuses a size out of bounds before anything is sent. Fails with usage (2). */
export function checkSize(size: number): void {
  if (size < LEAST_GB) throw usage(`--size is at least ${String(LEAST_GB)} GB; ${String(size)} is too small`);
  if (size > MOST_GB)
    throw usage(
      `--size is at most ${String(MOST_GB)} GB; ${String(size)} GB is beyond 4 TB`,
      'For volumes beyond 4 TB, contact the support of your service.',
    );
}

const findOut = commandLine('volumes', 'list');

/** POST {base}/v2/network-volumes (contract rules, Addresses). */
const request = (name: string, size: number, dataCenter: string, type: string | undefined): ApiRequest => ({
  service: 'base',
  method: 'POST',
  path: ['v2', 'network-volumes'],
  body: { name, size, dataCenter, ...(type === undefined ? {} : { type }) },
  findOut,
});

/** POST {rest}/v1/networkvolumes (specification 4.4). */
const olderRequest = (name: string, size: number, dataCenterId: string): ApiRequest => ({
  service: 'rest',
  method: 'POST',
  path: ['v1', 'networkvolumes'],
  body: { name, size, dataCenterId },
  findOut,
});

/** The v1 host is being retired by its operators: where it is gone, say what to use. */
function explainRetired(error: unknown): never {
  if (error instanceof Failure && (error.status === 404 || error.status === 410))
    throw error.with({
      exit: EXIT.notFound,
      message: 'the older volume API (v1) at the rest address is not there any more',
      hint: 'Use the management API: name the tier with --type STANDARD, or drop the address with `berth config unset rest-url`.',
    });
  throw error;
}

const rethrow = (error: unknown): never => {
  throw error;
};

async function dataCenters(ctx: CommandContext): Promise<readonly Choice<string>[]> {
  const { values } = await listRows(ctx, DATA_CENTERS);
  return values.flatMap((row) => {
    const id = stringOf(memberAt(row, 'id'));
    return id === undefined ? [] : [{ name: `${id}  ${stringOf(memberAt(row, 'name')) ?? ''}`, value: id }];
  });
}
