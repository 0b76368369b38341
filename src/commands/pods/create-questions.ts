import { vcpuCount } from '../../cli/container/container-fields.ts';
import { LEFT_OUT } from '../../cli/container/environment.ts';
import type { Collection } from '../../cli/model/collection.ts';
import type { Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { flagName, type Params } from '../../cli/model/params.ts';
import { CPUS, DATA_CENTERS, VOLUMES } from '../../cli/resource/collections.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { catalogRow } from '../../cli/resource/pickers.ts';
import { listRows } from '../../cli/resource/requests.ts';
import { givenFlags } from '../../cli/run/same-command.ts';
import { POD_TABLE } from './fields.ts';
import type { Choice } from '../../core/context.ts';
import { Failure, unlessFailed, usage } from '../../core/failure.ts';
import {
  arrayOf,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  objectAt,
  objectOf,
  stringAt,
} from '../../core/json.ts';
import { berth, type CommandLine, flags } from '../../core/message.ts';
import { DEADLINE_ACTIONS, DEADLINE_VARIABLES } from '../../guard/deadline.ts';
import { gigabytes, plainText, text } from '../../output/cells.ts';

/** Skips what was given; each answer is checked when it is entered. */
export async function askMore(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  const placed = await withPlaceAndVolume(ctx, body);
  return await withPorts(ctx, await withSsh(ctx, placed));
}

/** A CPU pod needs it (specification 2.2); bounds from the catalog, if readable. */
export async function askVcpus(
  ctx: CommandContext,
  body: JsonObject,
  lookUp: () => Promise<void>,
): Promise<JsonObject> {
  const { cpu } = body;
  const flavor = stringAt(cpu, 'id');
  if (!isObject(cpu) || flavor === undefined || cpu['vcpuCount'] !== undefined) return body;
  await lookUp();
  const row = await unlessFailed(ctx, () => catalogRow(ctx, CPUS, flavor));
  const [least = LEAST_VCPUS, most = Infinity] = [numberAt(row, 'vcpu.min'), numberAt(row, 'vcpu.max')];
  const bounds = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  const answer = await ctx.prompts.text(`vCPUs, a power of two, ${bounds}`, {
    initial: String(powerOfTwo(Math.max(LEAST_VCPUS, least))),
    check: messageOf((given) => {
      const count = Number(given);
      if (given.trim() === '' || Number.isNaN(count)) throw usage(`${given} is no number`);
      vcpuCount(count);
      if (count < least || count > most) throw usage(`${flavor} has ${bounds} vCPUs, not ${count}`);
    }),
  });
  return { ...body, cpu: { ...cpu, vcpuCount: Number(answer) } };
}

/** Contract rules, Pods. */
const LEAST_VCPUS = 2;

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

async function withSsh(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['startSsh'] !== undefined) return body;
  const isWanted = await ctx.prompts.confirm("SSH with the account's keys?", true);
  return isWanted ? { ...body, startSsh: true } : body;
}

const NO_PORTS = 'none';

/** Direct SSH needs 22/tcp (contract rules, Pods). `none` keeps a template's ports. */
async function withPorts(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['ports'] !== undefined) return body;
  const initial = body['startSsh'] === true && body['templateId'] === undefined ? '22/tcp' : NO_PORTS;
  const answer = await ctx.prompts.text(`Ports to publish, such as 8888/http,22/tcp, or ${NO_PORTS}`, {
    initial,
    check: messageOf(checkPorts),
  });
  return answer.trim() === NO_PORTS ? body : { ...body, ports: portsOf(answer) };
}

const portsOf = (answer: string): readonly string[] =>
  answer
    .split(',')
    .map((port) => port.trim())
    .filter((port) => port !== '');

function checkPorts(answer: string): void {
  if (answer.trim() === NO_PORTS) return;
  for (const port of portsOf(answer)) {
    const number = /^(\d+)\/(?:http|tcp)$/.exec(port)?.[1];
    if (number === undefined) throw usage(`${port} is not PORT/http or PORT/tcp`);
    if (!(Number(number) >= 1 && Number(number) <= 65_535)) throw usage(`${number} is no port: 1 to 65535`);
  }
}

const messageOf =
  (check: (given: string) => void) =>
  (given: string): string | undefined => {
    try {
      check(given);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return error.message;
    }
  };

const NONE = '';

/** A volume fixes the data center. Both may be declined; unreadable lists are not offered. */
async function withPlaceAndVolume(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['dataCenterIds'] !== undefined) return body;
  const place = await pickOrSkip(
    ctx,
    'Data center',
    'wherever there is one',
    choicesOf(await rowsOf(ctx, DATA_CENTERS), (row) => [text('name')(row)]),
  );
  const placed = place === NONE ? body : { ...body, dataCenterIds: [place] };
  if (body['mounts'] !== undefined || body['cloud'] === 'COMMUNITY') return placed;
  const volumes = (await rowsOf(ctx, VOLUMES)).filter((row) => place === NONE || memberAt(row, 'dataCenter') === place);
  const volumeId = await pickOrSkip(
    ctx,
    place === NONE ? 'Network volume: it fixes the data center' : 'Network volume',
    'none',
    choicesOf(volumes, (row) => [
      text('name')(row),
      gigabytes('size')(row),
      ...(place === NONE ? [text('dataCenter')(row)] : []),
    ]),
  );
  if (volumeId === NONE) return placed;
  const dataCenter = stringAt(
    volumes.find((row) => stringAt(row, 'id') === volumeId),
    'dataCenter',
  );
  const there = dataCenter === undefined ? placed : { ...placed, dataCenterIds: [dataCenter] };
  return { ...there, mounts: { network: [{ volumeId, path: '/workspace' }] } };
}

async function pickOrSkip(
  ctx: CommandContext,
  question: string,
  none: string,
  choices: readonly Choice<string>[],
): Promise<string> {
  return choices.length === 0 ? NONE : await ctx.prompts.select(question, [{ name: none, value: NONE }, ...choices]);
}

const rowsOf = async (ctx: CommandContext, list: Collection): Promise<readonly Json[]> =>
  (await unlessFailed(ctx, async () => (await listRows(ctx, list)).values)) ?? [];

const choicesOf = (rows: readonly Json[], words: (row: Json) => readonly string[]): readonly Choice<string>[] =>
  rows.flatMap((row) => {
    const id = stringAt(row, 'id');
    return id === undefined ? [] : [{ name: [id, ...words(row)].join('  '), value: id }];
  });

/** `others` are the flags that are not members of the body, such as those that place it. */
export function createCommandLine(body: JsonObject, values: Values, others: Params): CommandLine {
  const members = Object.entries(bodyOf(POD_TABLE, 'create').members).flatMap(([key, { param, path, value }]) => {
    const given = memberAt(body, path);
    // Of several GPU types, only the first is in the body.
    if (key === 'gpu' && Array.isArray(values['gpu']) && values['gpu'].length > 1)
      return givenFlags({ gpu: param }, values);
    const isFlag = param.kind === 'flag' && (value === undefined || key === 'gpu') && given !== undefined;
    return isFlag ? flagWords(flagName(key), given, param.commas === true) : [];
  });
  return berth`pods create ${flags([...members, ...mountWords(body), ...envWords(body), ...givenFlags(others, values)])}`;
}

/** A switch alone; a list separated by commas, or its flag for each item. */
function flagWords(flag: string, given: Json, commas: boolean): readonly string[] {
  if (given === true) return [flag];
  if (given === false) return [];
  const items = arrayOf(given);
  if (items !== undefined)
    return commas ? [flag, items.map(plainText).join(',')] : items.flatMap((item) => [flag, plainText(item)]);
  return isObject(given) ? [] : [flag, plainText(given)];
}

function mountWords(body: JsonObject): readonly string[] {
  const network = memberAt(body, 'mounts.network.0');
  const persistent = objectAt(body, 'mounts.persistent');
  if (network !== undefined)
    return ['--network-volume', `${stringAt(network, 'volumeId') ?? ''}:${stringAt(network, 'path') ?? ''}`];
  if (persistent === undefined) return [];
  return ['--persistent-size', plainText(persistent['size']), '--mount-path', plainText(persistent['path'])];
}

/** Without values, because a variable may hold a secret; deadlines are flags. */
const envWords = (body: JsonObject): readonly string[] =>
  Object.entries(objectOf(body['env']) ?? {}).flatMap(([name, value]) => {
    const deadline = DEADLINE_ACTIONS.find((action) => DEADLINE_VARIABLES[action] === name);
    return deadline === undefined ? ['--env', `${name}=${LEFT_OUT}`] : [`--${deadline}-after`, plainText(value)];
  });
