import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { withoutKey } from '../../create/key.ts';
import { defineGroup } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { deleteCommand } from '../../cli/resource/delete.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { listCommand } from '../../cli/resource/list.ts';
import { getCommand, resourceOf } from '../../cli/resource/read.ts';
import { createCommand, updateCommand, type WriteSpec } from '../../cli/resource/write.ts';
import * as collections from '../../cli/resource/collections.ts';
import { usersOf } from '../../cli/resource/in-use.ts';
import { TEMPLATE_TABLE } from './fields.ts';

const TEMPLATES = resourceOf(collections.TEMPLATES, TEMPLATE_TABLE);

/** Anyone can read a public template (contract rules, Templates). */
const publicNote = (row: Json): readonly string[] =>
  memberAt(row, 'public') === true
    ? ['This template is public: everybody can read it, its environment variables too; only its owner can change it.']
    : [];

const common = {
  setExample: 'disk=100',
  references: { registry: collections.REGISTRIES },
  notes: publicNote,
} as const satisfies Partial<WriteSpec>;

export const templates = defineGroup('container settings to start pods and endpoints from', {
  list: listCommand(TEMPLATES, {
    summary: 'list your templates',
    examples: [['berth templates list', 'those of your account']],
    options: {
      serverless: option.on('only those for endpoints'),
      pods: option.on('only those for pods'),
    },
    keep: (row, { serverless, pods }) => serverless === pods || (memberAt(row, 'serverless') === true) === serverless,
  }),
  get: getCommand(TEMPLATES, {
    summary: 'show a template, your own or a public one',
    outcome: (row) => ({ notes: publicNote(row) }),
    examples: [['berth templates get tpl-train -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: createCommand(TEMPLATES, 'templates', {
    ...common,
    ...bodyOf(TEMPLATE_TABLE, 'create'),
    adapt: withoutKey,
    summary: 'create a template',
    details: 'A template is resolved once, when a pod or an endpoint starts from it: they keep no link to it.',
    needed: ['name', 'image'],
    examples: [
      ['berth templates create --name web --image example/web:1.0 --port 8080/http --env MODE=fast', 'for pods'],
      ['berth templates create --name worker --image example/worker:7 --serverless', 'for endpoints'],
      ['berth templates create --name serve --image example/web:1.0 -- serve --port 8080', 'with a command of its own'],
    ],
  }),
  update: updateCommand(TEMPLATES, 'templates', {
    ...common,
    ...bodyOf(TEMPLATE_TABLE, 'update'),
    summary: 'change a template',
    details: 'Only the owner of a public template can change it.',
    examples: [
      ['berth templates update tpl-worker --image example/worker:8', 'what starts from it later uses this image'],
    ],
  }),
  delete: deleteCommand(TEMPLATES, 'templates', {
    summary: 'delete templates',
    examples: [['berth templates delete worker --yes', 'without a question, for scripts']],
    details: 'A template that a pod or an endpoint uses is refused.',
    // An endpoint does not say its template.
    refused: {
      reasons: usersOf({
        noun: 'template',
        users: [collections.PODS],
        usedBy: (pod) => [stringAt(pod, 'template') ?? ''],
      }),
    },
  }),
});
