import { CONTAINER_FIELDS, CONTAINER_SECTION, CUDA_FORM, NAME_FLAG, ON_OFF } from '../cli/container.ts';
import { option } from '../cli/model/params.ts';
import { REGISTRIES, TEMPLATES as COLLECTION } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import type { BodyRules } from '../cli/resource/request-body.ts';
import { create, remove, update } from '../cli/resource/noun-writes.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { resource } from '../cli/resource/targets.ts';
import { type Json, memberAt, objectAt } from '../core/json.ts';
import { withoutKey } from '../create/key.ts';
import { text } from '../output/cells.ts';
import type { Shown } from '../output/view.ts';

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
    write: { choice: 'what it runs on (default NVIDIA)', choices: CATEGORIES },
  },
  cuda: {
    path: 'allowedCudaVersions',
    type: 'list',
    label: 'cuda',
    form: CUDA_FORM,
    write: { list: 'only on machines with one of these CUDA versions', metavar: 'VERSION' },
  },
  mounts: {
    path: 'mounts',
    type: 'object',
    label: 'persistent mount',
    show: persistentMount,
    write: 'accepted',
  },
  serverless: {
    path: 'serverless',
    type: 'flag',
    create: { on: 'for endpoints; otherwise for pods' },
    update: { choice: 'for endpoints, or for pods', ...ON_OFF },
  },
  public: {
    path: 'public',
    type: 'flag',
    create: { on: 'let everybody read it, with its variables' },
    update: { choice: 'let everybody read it, with its variables', ...ON_OFF },
  },
  startSsh: {
    path: 'startSsh',
    type: 'flag',
    label: 'starts ssh',
    write: { choice: 'start an SSH server in its pods (default on)', ...ON_OFF },
  },
  startJupyter: {
    path: 'startJupyter',
    type: 'flag',
    label: 'starts jupyter',
    write: { choice: 'start Jupyter in its pods (default on)', ...ON_OFF },
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
});

function product(row: Json): Shown {
  return memberAt(row, 'serverless') === true ? 'endpoints' : 'pods';
}

function persistentMount(row: Json): Shown {
  const persistent = objectAt(row, 'mounts.persistent');
  return persistent === undefined ? undefined : `${text(persistent, 'size')} GB at ${text(persistent, 'path')}`;
}

const TEMPLATES = resource(COLLECTION, TEMPLATE_TABLE);

const RULES: BodyRules = { example: 'disk=100', references: { registry: REGISTRIES } };

export const templates = noun('container settings to start pods and endpoints from', {
  list: list(TEMPLATES, {
    summary: 'list your templates',
    examples: [['berth templates list', 'those of your account']],
    options: {
      serverless: option.on('only those for endpoints'),
      pods: option.on('only those for pods'),
    },
    keep: (row, { serverless, pods }) => serverless === pods || (memberAt(row, 'serverless') === true) === serverless,
  }),
  get: get(TEMPLATES, {
    summary: 'show a template, your own or a public one',
    examples: [['berth templates get tpl-train -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: create(TEMPLATES, {
    ...RULES,
    fromPrinted: withoutKey,
    details: 'Pods and endpoints copy a template when they are created: a later change does not reach them.',
    needed: ['name', 'image'],
    examples: [
      ['berth templates create web --image example/web:1.0 --port 8080/http --env MODE=fast', 'for pods'],
      ['berth templates create worker --image example/worker:7 --serverless', 'for endpoints'],
      ['berth templates create serve --image example/web:1.0 -- serve --port 8080', 'with a command of its own'],
    ],
  }),
  update: update(TEMPLATES, {
    ...RULES,
    details: 'Only the owner of a public template can change it.',
    examples: [
      ['berth templates update tpl-worker --image example/worker:8', 'what starts from it later uses this image'],
    ],
  }),
  delete: remove(TEMPLATES, {
    details: 'A template that a pod or an endpoint uses is refused.',
    loses: 'its settings',
    examples: [['berth templates delete worker --yes', 'without a question, for scripts']],
  }),
});
