import { usage } from '../../core/failure.ts';
import { isObject, type Json, memberAt, objectAt } from '../../core/json.ts';
import { option } from '../../cli/model/params.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import { text } from '../../output/cells.ts';
import type { Shown } from '../../output/view.ts';
import {
  CONTAINER_FIELDS,
  CONTAINER_SECTION,
  cudaVersions,
  NAME_FLAG,
  onOff,
} from '../../cli/container/container-fields.ts';

const CATEGORIES = ['CPU', 'NVIDIA', 'AMD'] as const;

/** Contract, Template, CreateTemplateRequest and UpdateTemplateRequest. */
const FIELDS = {
  id: { path: 'id' },
  name: { path: 'name', write: NAME_FLAG },
  product: { label: 'for', show: product },
  ...CONTAINER_FIELDS,
  category: {
    path: 'category',
    values: CATEGORIES,
    write: option.choice('what it runs on (default NVIDIA)', CATEGORIES),
  },
  cuda: {
    path: 'allowedCudaVersions',
    type: 'list',
    label: 'cuda',
    check: cudaVersions('--cuda'),
    write: option.list('only on machines with one of these CUDA versions', { metavar: 'VERSION' }),
  },
  mounts: {
    path: 'mounts',
    type: 'object',
    label: 'persistent mount',
    show: persistentMount,
    check: checkMounts,
    write: 'accepted',
  },
  serverless: {
    path: 'serverless',
    type: 'flag',
    create: option.on('for endpoints; otherwise for pods'),
    update: onOff('for endpoints, or for pods'),
  },
  public: {
    path: 'public',
    type: 'flag',
    create: option.on('let everybody read it'),
    update: onOff('let everybody read it'),
  },
  startSsh: {
    path: 'startSsh',
    type: 'flag',
    label: 'starts ssh',
    write: onOff('start an SSH server in its pods (default on)'),
  },
  startJupyter: {
    path: 'startJupyter',
    type: 'flag',
    label: 'starts jupyter',
    write: onOff('start Jupyter in its pods (default on)'),
  },
} as const satisfies Fields;

export const TEMPLATE_TABLE = defineTable({
  noun: ['template', 'templates'],
  fields: FIELDS,
  table: ['id', 'name', 'product', 'image', 'public'],
  wide: ['category', 'port', 'registry'],
  detail: [
    { fields: ['id', 'name', 'product', 'category', 'public', 'cuda'] },
    CONTAINER_SECTION,
    { title: 'pods', fields: ['mounts', 'startSsh', 'startJupyter'] },
  ],
  members: [
    ...['id', 'name', 'image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry', 'mounts'],
    ...['serverless', 'public', 'category', 'startSsh', 'startJupyter', 'allowedCudaVersions'],
  ],
});

function product(row: Json): Shown {
  return memberAt(row, 'serverless') === true ? 'endpoints' : 'pods';
}

function persistentMount(row: Json): Shown {
  const persistent = objectAt(row, 'mounts.persistent');
  return persistent === undefined ? undefined : `${text('size')(persistent)} GB at ${text('path')(persistent)}`;
}

/** Must have a size and a path (specification 2.3). Usage (2). */
function checkMounts(mounts: Json): void {
  const persistent = memberAt(mounts, 'persistent');
  if (!isObject(persistent) || (persistent['size'] !== undefined && persistent['path'] !== undefined)) return;
  throw usage('mounts.persistent needs a size and a path');
}
