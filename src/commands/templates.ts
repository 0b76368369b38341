import { isObject, memberAt, objectOf, stringOf, type Json, type JsonObject } from '../core/json.ts';
import { usage } from '../core/failure.ts';
import { defineGroup } from '../cli/command.ts';
import { option } from '../cli/parse/params.ts';
import type { Members } from '../cli/resource/body.ts';
import { getCommand, listCommand, type Resource } from '../cli/resource/read.ts';
import { createCommand, deleteCommand, updateCommand, type WriteSpec } from '../cli/resource/write.ts';
import { list, text, yesNo } from '../output/layout/cells.ts';
import type { Shown, View } from '../output/view.ts';
import * as collections from './shared/collections.ts';
import { CONTAINER_ACCEPTS, CONTAINER_MEMBERS, containerSection } from './shared/container.ts';
import { otherMembers } from '../cli/resource/detail-lines.ts';

/** What a template is for: endpoints or pods. */
const use = (row: Json): Shown => (memberAt(row, 'serverless') === true ? 'endpoints' : 'pods');

function mount(row: Json): Shown {
  const persistent = objectOf(memberAt(row, 'mounts.persistent'));
  return persistent === undefined ? undefined : `${text('size')(persistent)} GB at ${text('path')(persistent)}`;
}

const KNOWN =
  'id name image args disk mounts ports env registry serverless public category startSsh startJupyter allowedCudaVersions'.split(
    ' ',
  );

export const templateView: View = {
  noun: ['template', 'templates'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: [
    ...'id name image args disk ports env registry mounts'.split(' '),
    ...'serverless public category startSsh startJupyter allowedCudaVersions'.split(' '),
  ],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'FOR', show: use },
    { header: 'IMAGE', show: text('image') },
    { header: 'PUBLIC', show: yesNo('public') },
    { header: 'CATEGORY', show: text('category'), wide: true },
    { header: 'PORTS', show: list('ports'), wide: true },
    { header: 'REGISTRY', show: text('registry'), wide: true },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'for', value: use(row) },
        { label: 'category', value: text('category')(row) },
        { label: 'public', value: yesNo('public')(row) },
        { label: 'cuda', value: list('allowedCudaVersions')(row) },
      ],
    },
    containerSection(row),
    {
      title: 'pods',
      lines: [
        { label: 'persistent mount', value: mount(row) },
        { label: 'starts ssh', value: yesNo('startSsh')(row) },
        { label: 'starts jupyter', value: yesNo('startJupyter')(row) },
      ],
    },
    { lines: otherMembers(row, KNOWN) },
  ],
};

/** Anyone may read a public template (contract rules, Templates). */
const publicNote = (row: Json): readonly string[] =>
  memberAt(row, 'public') === true
    ? ['This template is public: everybody can read it, its environment variables too; only its owner can change it.']
    : [];

const name = {
  param: option.text('what to call it', { metavar: 'NAME', ask: { kind: 'text', question: 'Name' } }),
  path: 'name',
} as const;

const shared = {
  name,
  ...CONTAINER_MEMBERS,
  category: {
    param: option.choice('what it runs on (default NVIDIA)', ['CPU', 'NVIDIA', 'AMD']),
    path: 'category',
  },
  cuda: {
    param: option.list('only on machines with one of these CUDA versions', { metavar: 'VERSION' }),
    path: 'allowedCudaVersions',
  },
  persistentSize: {
    param: option.count('GB of storage on the host of its pods, at least 10 (deprecated)', 10, { metavar: 'GB' }),
    path: 'mounts.persistent.size',
  },
  mountPath: { param: option.text('where that is mounted', { metavar: 'PATH' }), path: 'mounts.persistent.path' },
} as const satisfies Members;

/** A switch that is on unless it is turned off, or that an update turns either way. */
const onOff = (summary: string, path: string) => ({
  param: option.choice(summary, ['on', 'off']),
  path,
  value: (word: string): Json => word === 'on',
});

const starting = {
  startSsh: onOff('start an SSH server in its pods (default on)', 'startSsh'),
  startJupyter: onOff('start Jupyter in its pods (default on)', 'startJupyter'),
};

const CREATE_MEMBERS: Members = {
  ...shared,
  serverless: { param: option.on('for endpoints; otherwise for pods'), path: 'serverless' },
  public: { param: option.on('let everybody read it'), path: 'public' },
  ...starting,
};

const UPDATE_MEMBERS: Members = {
  ...shared,
  serverless: onOff('for endpoints, or for pods', 'serverless'),
  public: onOff('let everybody read it', 'public'),
  ...starting,
};

const common = {
  accepts: [
    ...CONTAINER_ACCEPTS,
    ...['name', 'category', 'serverless', 'public', 'allowedCudaVersions', 'mounts', 'startSsh', 'startJupyter'],
  ],
  setExample: 'disk=100',
  check: checkMount,
  references: { registry: collections.REGISTRIES },
  notes: publicNote,
} as const satisfies Partial<WriteSpec>;

/** A mount has a size and a path: partial mounts are unsupported (specification 2.3). */
function checkMount(body: JsonObject): void {
  const persistent = memberAt(body, 'mounts.persistent');
  if (!isObject(persistent) || (persistent['size'] !== undefined && persistent['path'] !== undefined)) return;
  throw usage('--persistent-size and --mount-path go together', 'A mount has both a size and a path.');
}

const TEMPLATES: Resource = { ...collections.TEMPLATES, view: templateView };

export const templates = defineGroup('container settings to start pods and endpoints from', {
  list: listCommand(TEMPLATES, {
    summary: 'list your templates',
    options: {
      serverless: option.on('only those for endpoints'),
      pods: option.on('only those for pods'),
    },
    keep: (row, { serverless, pods }) => serverless === pods || (memberAt(row, 'serverless') === true) === serverless,
  }),
  get: getCommand(TEMPLATES, {
    summary: 'show a template, your own or a public one',
    outcome: (row) => ({ notes: publicNote(row) }),
    examples: [['berth templates get TEMPLATE -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: createCommand(TEMPLATES, 'templates', {
    ...common,
    members: CREATE_MEMBERS,
    summary: 'create a template',
    details: 'A template is resolved once, when a pod or an endpoint starts from it: they keep no link to it.',
    needed: ['name', 'image'],
    examples: [
      ['berth templates create --name web --image IMAGE --port 8080/http --env MODE=fast', 'for pods'],
      ['berth templates create --name worker --image IMAGE --serverless', 'for endpoints'],
    ],
  }),
  update: updateCommand(TEMPLATES, 'templates', {
    ...common,
    members: UPDATE_MEMBERS,
    summary: 'change a template',
    details: 'Only the owner of a public template can change it.',
    examples: [['berth templates update TEMPLATE --image IMAGE', 'what starts from it later uses this image']],
  }),
  delete: deleteCommand(TEMPLATES, 'templates', {
    summary: 'delete templates',
    details: 'A template that a pod or an endpoint uses is refused.',
  }),
});
