/** How the fields of an endpoint are shown that take more than their own value. */
import { isObject, itemsAt, type Json, memberAt, objectAt, stringAt } from '../../core/json.ts';
import { memberLabel } from '../../cli/resource/fields/detail-lines.ts';
import { json, list, text } from '../../output/cells/cell-functions.ts';
import type { Section, Shown } from '../../output/view.ts';

type Lines = Section['lines'];

/** The range in which workers scale: `0 to 3`. */
export function workers(row: Json): Shown {
  const [min, max] = [text('workers.min')(row), text('workers.max')(row)];
  return min === max ? min : `${min} to ${max}`;
}

/** When workers are added: `4 s delay`, `5 requests`. The two parameters are the words for the two kinds. */
export const scaling =
  (delay: string, requests: string) =>
  (row: Json): Shown => {
    const type = stringAt(row, 'scaling.type');
    if (type === 'QUEUE_DELAY') return `${text('scaling.queueDelay')(row)} s ${delay}`;
    if (type === 'REQUEST_COUNT') return `${text('scaling.requestCount')(row)} ${requests}`;
    return json('scaling')(row);
  };

/** `POOL-24G, POOL-48G x2`, or an item for each CPU flavor. */
export function hardware(row: Json): Shown {
  if (!isObject(memberAt(row, 'gpu'))) return itemsAt(row, 'cpu').map(cpu);
  const count = text('gpu.count')(row);
  return list('gpu.pools')(row).join(', ') + (count === '' || count === '1' ? '' : ` x${count}`);
}

function cpu(item: Json): string {
  const memory = text('memory')(item);
  return `${text('id')(item)} ${text('vcpuCount')(item)} vCPU${memory === '' ? '' : ` ${memory} GB`}`;
}

/** The hardware in full: the members of `gpu`, or the CPU flavors. */
export function hardwareLines(row: Json): Lines {
  const gpu = objectAt(row, 'gpu');
  if (gpu === undefined) return [{ label: 'cpu', value: hardware(row) }];
  return [
    { label: 'gpu pools', value: list('pools')(gpu) },
    { label: 'excluded types', value: list('excludedTypes')(gpu) },
    { label: 'gpus a worker', value: text('count')(gpu) },
    { label: 'cuda', value: cuda(gpu) },
  ];
}

function cuda(gpu: Json): Shown {
  const minimum = text('minCudaVersion')(gpu);
  return minimum === '' ? list('allowedCudaVersions')(gpu) : `${minimum} or newer`;
}

/** A line for each address that takes requests; the two types of endpoint have different ones. */
export const requestUrls = (row: Json): Lines =>
  Object.keys(objectAt(row, 'requestUrls') ?? {}).map((name) => ({
    label: memberLabel(name),
    value: text(`requestUrls.${name}`)(row),
  }));
