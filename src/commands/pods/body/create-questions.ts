import type { Choice } from '../../../core/context.ts';
import { Failure, usage, unlessFailed } from '../../../core/failure.ts';
import { isObject, type Json, type JsonObject, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import { listRows } from '../../../cli/resource/identity/requests.ts';
import { gigabytes, text } from '../../../output/cells/cell-functions.ts';
import { CPUS, DATA_CENTERS, VOLUMES } from '../../shared/collections.ts';
import { catalogRow } from '../../shared/pick/pickers.ts';
import { vcpuCount } from '../../shared/container/value-rules.ts';

/**
 * Asks for what a new pod may have beside the needed members: a place, a volume, SSH and ports. What is given already is not
 * asked for, and each answer is checked when it is entered.
 */
export async function askMore(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  const placed = await withPlaceAndVolume(ctx, body);
  return await withPorts(ctx, await withSsh(ctx, placed));
}

/**
 * Asks for the number of vCPUs, which a CPU pod needs (specification 2.2), within the bounds of its flavor in the catalog. A
 * catalog that cannot be read has no bounds.
 */
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

/** The least number of vCPUs of a pod (contract rules, Pods). */
const LEAST_VCPUS = 2;

/** The first power of two that is no smaller. */
const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

async function withSsh(ctx: CommandContext, body: JsonObject): Promise<JsonObject> {
  if (body['startSsh'] !== undefined) return body;
  const isWanted = await ctx.prompts.confirm("SSH with the account's keys?", true);
  return isWanted ? { ...body, startSsh: true } : body;
}

const NO_PORTS = 'none';

/** Direct SSH needs 22/tcp (contract rules, Pods). The ports of a template are kept if the answer is `none`. */
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

/** The message of what a check throws, as a question shows it. */
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

/**
 * Offers a data center and a network volume in it; without a data center, any volume, which fixes the data center. Both may be
 * declined. A list that cannot be read is not offered.
 */
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
