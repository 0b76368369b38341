import { type Json, memberAt } from '../../core/json.ts';
import { withoutKey } from '../../create/key.ts';
import { option } from '../../cli/model/params.ts';
import { REGISTRIES, TEMPLATES as COLLECTION } from '../../cli/resource/collections.ts';
import { get, list, noun } from '../../cli/resource/noun.ts';
import type { BodyRules } from '../../cli/resource/noun-body.ts';
import { create, remove, update } from '../../cli/resource/noun-writes.ts';
import { resource } from '../../cli/resource/targets.ts';
import { TEMPLATE_TABLE } from './fields.ts';

const TEMPLATES = resource(COLLECTION, TEMPLATE_TABLE);

const RULES: BodyRules = { example: 'disk=100', references: { registry: REGISTRIES } };

/** Contract rules, Templates. */
const PUBLIC = 'A public template can be read by everybody, with its environment variables.';

const isPublic = (template: Json): boolean => memberAt(template, 'public') === true;

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
    outcome: (row) => ({ notes: isPublic(row) ? [PUBLIC] : [] }),
    examples: [['berth templates get tpl-train -o yaml', 'to edit, and to give to create or update with --file']],
  }),
  create: create(TEMPLATES, {
    ...RULES,
    fromPrinted: withoutKey,
    details: 'Pods and endpoints copy a template when they are created: a later change does not reach them.',
    needed: ['name', 'image'],
    send: async (ctx, request) => {
      if (isPublic(request.body)) await ctx.tell(PUBLIC);
      return await ctx.api.send(request);
    },
    examples: [
      ['berth templates create web --image example/web:1.0 --port 8080/http --env MODE=fast', 'for pods'],
      ['berth templates create worker --image example/worker:7 --serverless', 'for endpoints'],
      ['berth templates create serve --image example/web:1.0 -- serve --port 8080', 'with a command of its own'],
    ],
  }),
  update: update(TEMPLATES, {
    ...RULES,
    details: 'Only the owner of a public template can change it.',
    complete: async (ctx, body) => {
      if (isPublic(body)) await ctx.tell(PUBLIC);
      return body;
    },
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
