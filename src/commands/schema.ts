import { type Command, commandsOf, defineCommand, type Program } from '../cli/model/command.ts';
import {
  ANY_OBJECT,
  CONTRACT_PREFIX,
  errorSchema,
  manyOf,
  type OutputSchema,
  ownObject,
  printedSchema,
  schemaNameOf,
  TEXT,
} from '../cli/model/output-schema.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { arg } from '../cli/model/params.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { didYouMean } from '../cli/words.ts';
import { fileSchema } from './plan/schema.ts';
import { usage } from '../core/failure.ts';
import { encodeJson, isObject, type Json, type JsonObject, stringOf } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { text } from '../output/cells.ts';
import { asksForData, type Result, type View } from '../output/view.ts';

type ContractSchemas = Readonly<Record<string, JsonObject>>;

const PUBLISHED_PREFIX = '#/components/schemas/';

interface Title {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** Self-contained. Throws an Error (a bug) for a name that the contract does not have. */
function completeSchema(schema: OutputSchema, contract: ContractSchemas, about: Title): JsonObject {
  const definitions = new Map<string, Json>();
  const linked = (open: JsonObject): JsonObject =>
    changed(open, (value) => {
      const reference = stringOf(value['$ref']) ?? '';
      const prefix = [CONTRACT_PREFIX, PUBLISHED_PREFIX].find((each) => reference.startsWith(each));
      if (prefix === undefined) return value;
      const name = reference.slice(prefix.length);
      if (!definitions.has(name)) {
        const found = Object.hasOwn(contract, name) ? contract[name] : undefined;
        if (found === undefined) throw new Error(`the contract has no schema ${name}`);
        definitions.set(name, null);
        definitions.set(name, linked(changed(found, openSchema)));
      }
      return { ...value, $ref: `#/$defs/${name}` };
    });
  const body = linked(schema);
  const sorted = [...definitions].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:berth:schema:${about.name.replaceAll(' ', '-')}`,
    title: about.title,
    description: about.description,
    ...body,
    ...(sorted.length === 0 ? {} : { $defs: Object.fromEntries(sorted) }),
  };
}

/** With each object in it, from the inside out, as `change` makes it. */
const changed = (schema: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject =>
  JSON.parse(encodeJson(schema), (_, value: Json) => (isObject(value) ? change(value) : value)) as JsonObject;

/** The service may add members and enumeration values, so neither is forbidden. */
function openSchema({ enum: words, additionalProperties, unevaluatedProperties, ...others }: JsonObject): JsonObject {
  const open = {
    ...others,
    ...(additionalProperties === false ? {} : { additionalProperties }),
    ...(unevaluatedProperties === false ? {} : { unevaluatedProperties }),
  };
  if (words === undefined) return open;
  return others['type'] === 'string'
    ? { ...open, anyOf: [{ enum: words }, { type: 'string' }] }
    : { ...open, enum: words };
}

const ROWS = manyOf(ownObject({ command: TEXT, schema: ANY_OBJECT }));

const schemasView: View = {
  noun: ['schema', 'schemas'],
  id: (row) => text(row, 'command'),
  members: ['command', 'schema'],
  columns: [
    textColumn('command', { cutLast: true }),
    { header: 'DESCRIPTION', show: (row) => text(row, 'schema.description') },
  ],
};

const schemaView: View = { noun: ['schema', 'schemas'], id: (row) => text(row, '$id'), columns: [] };

export const schema = (program: Program): Command =>
  defineCommand({
    summary: 'print the JSON Schema of what a command prints with --json',
    details:
      'Without a command, it lists those that have a schema. `berth schema error` is for errors on stderr, `berth schema apply` for the files of `plan` and `apply`.',
    args: {
      words: arg.any('a command, error or apply', { metavar: 'COMMAND', complete: 'help' }),
    },
    output: () => ({ anyOf: [ROWS, ANY_OBJECT] }),
    examples: [
      ['berth schema pods get', 'what `berth pods get --json` prints'],
      ['berth schema error', 'what every command prints on stderr when it fails'],
      ['berth schema --json', 'all of them'],
    ],
    run: async (ctx, { words }): Promise<Result> => {
      const all = await readSchemas(ctx, program);
      if (words.length === 0)
        return {
          kind: 'many',
          view: schemasView,
          values: [...all].map(([command, value]) => ({ command, schema: value })),
        };
      const value = all.get(words.join(' '));
      if (value === undefined) throw noSchema(words.join(' '), [...all.keys()]);
      if (asksForData(ctx.output)) return { kind: 'one', view: schemaView, value };
      return { kind: 'text', text: `${JSON.stringify(JSON.parse(encodeJson(value)), undefined, 2)}\n` };
    },
  });

export async function readSchemas(
  ctx: Pick<CommandContext, 'contractSchemas'>,
  program: Program,
): Promise<ReadonlyMap<string, JsonObject>> {
  const contract = await ctx.contractSchemas();
  const schemas = new Map<string, JsonObject>();
  const add = (printed: OutputSchema, about: Title): void =>
    void schemas.set(about.name, completeSchema(printed, contract, about));
  for (const { path, command } of await commandsOf(program)) {
    const printed = printedSchema(command);
    const name = schemaNameOf(path);
    const words = path.join(' ');
    if (printed === undefined) continue;
    add(printed, {
      name,
      title: name === words ? `berth ${name} --json` : `what berth ${words} --json prints`,
      description: command.summary + (command.watch === undefined ? '' : '; with --watch, once for each poll'),
    });
  }
  add(fileSchema(), {
    name: 'apply',
    title: 'a document of apply',
    description: 'what berth plan and berth apply read; what apply prints with --json is in apply-results',
  });
  add(errorSchema(), {
    name: 'error',
    title: 'an error',
    description: 'what a command prints on stderr when it fails, with --json',
  });
  return schemas;
}

const noSchema = (name: string, known: readonly string[]) =>
  usage(
    `${JSON.stringify(name)} has no schema: it is no command, or it prints no JSON`,
    didYouMean(name, known) ?? sentence`See which have one: ${berth`schema`}`,
  );
