import { usage } from '../core/failure.ts';
import { stringAt } from '../core/json.ts';
import { CREATED_AT } from '../cli/container.ts';
import { getCommand } from '../cli/hint.ts';
import type { Collection } from '../cli/model/collection.ts';
import { type Command, defineCommand } from '../cli/model/command.ts';
import { outcomesSchema } from '../cli/model/output-schema.ts';
import { arg } from '../cli/model/params.ts';
import { CLUSTERS, ENDPOINTS, PODS, VOLUMES } from '../cli/resource/collections.ts';
import { defineTable, type Fields } from '../cli/resource/fields.ts';
import { get, list, noun } from '../cli/resource/noun.ts';
import { post, remove, update, written } from '../cli/resource/noun-writes.ts';
import { idArgument, rowSchema } from '../cli/resource/arguments.ts';
import { SEVERAL } from '../cli/resource/several.ts';
import { eachOf, report, resource, withId } from '../cli/resource/targets.ts';

const TABLE = defineTable({
  noun: ['tag', 'tags'],
  fields: {
    id: { path: 'id' },
    key: { path: 'key', update: { text: 'new key', metavar: 'KEY' } },
    value: { path: 'value', update: { text: 'new value', metavar: 'VALUE' } },
    createdAt: CREATED_AT,
    updatedAt: { path: 'updatedAt', type: 'time', label: 'changed', column: { header: 'CHANGED' } },
  } satisfies Fields,
  table: ['id', 'key', 'value', 'updatedAt', 'createdAt'],
});

const TAGS = resource(
  {
    noun: 'tag',
    path: ['v2', 'tags'],
    member: 'tags',
    schema: 'Tag',
    nameOf: (row) => `${stringAt(row, 'key') ?? ''}=${stringAt(row, 'value') ?? ''}`,
  },
  TABLE,
);

const create = defineCommand({
  summary: 'create a tag',
  args: { pair: arg.text('key and value', { metavar: 'KEY=VALUE' }) },
  fields: TAGS.view.paths,
  output: () => rowSchema(TAGS),
  writes: true,
  examples: [['berth tags create env=prod', 'then: berth tags add env=prod pod/train-llm']],
  run: async (ctx, { pair }) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usage(`invalid tag ${JSON.stringify(pair)}`, 'Write KEY=VALUE.');
    const body = { key: pair.slice(0, at), value: pair.slice(at + 1) };
    return await written(ctx, TAGS, await ctx.api.send(post(TAGS, body)), 'created');
  },
});

/** What can have tags, by the word of the command line. */
const TAGGED: Readonly<Record<string, { readonly type: string; readonly of: Collection }>> = {
  pod: { type: 'POD', of: PODS },
  cluster: { type: 'CLUSTER', of: CLUSTERS },
  endpoint: { type: 'SERVERLESS_ENDPOINT', of: ENDPOINTS },
  volume: { type: 'NETWORK_VOLUME', of: VOLUMES },
};

function taggedOf(text: string) {
  const at = text.indexOf('/');
  const [kind, word] = [text.slice(0, at).toLowerCase(), text.slice(at + 1)];
  const found = Object.hasOwn(TAGGED, kind) ? TAGGED[kind] : undefined;
  if (at < 1 || word === '' || found === undefined)
    throw usage(
      `invalid resource ${JSON.stringify(text)}`,
      `Write TYPE/ID, such as ${Object.keys(TAGGED).join('/ID, ')}/ID.`,
    );
  return { ...found, word };
}

const link = (method: 'PUT' | 'DELETE', done: string, words: Pick<Command, 'summary' | 'examples'>): Command =>
  defineCommand({
    ...words,
    details: SEVERAL,
    args: { tag: idArgument(TAGS), resource: arg.ids('pods, clusters, endpoints, volumes', { metavar: 'TYPE/ID' }) },
    output: outcomesSchema,
    writes: true,
    run: async (ctx, { tag, resource: given }) => {
      const things = given.map(taggedOf);
      const shownOf = ({ of, word }: ReturnType<typeof taggedOf>) => ({ id: ctx.ids.get(of, word) ?? word });
      const outcomes = await eachOf(ctx, things, shownOf, async (thing) => {
        const answer = await withId(ctx, TAGS, tag, (id) =>
          withId(ctx, thing.of, thing.word, (resourceId) =>
            ctx.api.send({
              service: 'base',
              method,
              path: [...TAGS.path, id, 'resources', thing.type, resourceId],
              expects: 'nothing',
              // It can be taken back, and nothing is lost.
              destroys: false,
              repeatable: true,
              checkCommand: getCommand(TAGS, id),
            }),
          ),
        );
        return { ...shownOf(thing), answer };
      });
      return report(
        ctx,
        { noun: things[0]?.of.noun ?? 'resource', view: TAGS.view },
        { isSelected: false },
        outcomes,
        done,
      );
    },
  });

export const tags = noun('labels that pods, endpoints, clusters and volumes share', {
  list: list(TAGS, { examples: [['berth tags list', 'the service does not say which resources have them']] }),
  get: get(TAGS, { examples: [['berth tags get team=vision', 'by its key and value']] }),
  create,
  update: update(TAGS, {
    details: 'It changes on every resource that has it. For one resource: remove this tag, and add another.',
    examples: [['berth tags update team=vision --value robots', 'on all that have it']],
  }),
  delete: remove(TAGS, {
    loses: 'the tag on every resource',
    examples: [['berth tags delete team=robots --yes', 'in a script']],
  }),
  add: link('PUT', 'tagged', {
    summary: 'put a tag on resources',
    examples: [['berth tags add env=prod pod/train-llm volume/datasets', 'a pod and a volume']],
  }),
  remove: link('DELETE', 'untagged', {
    summary: 'take a tag off resources',
    examples: [['berth tags remove env=prod pod/train-llm', 'the tag stays']],
  }),
});
