import { berth, sentence } from '../../core/message.ts';
import { usage } from '../../core/failure.ts';
import { encodeJson, type JsonObject } from '../../core/json.ts';
import { arg } from '../../cli/model/params.ts';
import { defineCommand, type Command, type Program } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { didYouMean } from '../../cli/words/suggestions.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { ERROR, printedSchema, schemaNameOf } from '../../cli/model/common-schemas.ts';
import { ANY_OBJECT, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { text } from '../../output/cells/cell-functions.ts';
import { asksForData, type Result, type View } from '../../output/view.ts';
import { commandsOf } from '../help/describe/commands.ts';
import { fileSchema } from '../plan/file-schema.ts';
import { completeSchema } from './complete.ts';

const ROWS = manyOf(ownObject({ command: TEXT, schema: ANY_OBJECT }));

const schemasView: View = {
  noun: ['schema', 'schemas'],
  id: text('command'),
  members: ['command', 'schema'],
  columns: [textColumn('command', { cutLast: true }), { header: 'DESCRIPTION', show: text('schema.description') }],
};

const schemaView: View = { noun: ['schema', 'schemas'], id: text('$id'), columns: [] };

/** `berth schema`, `berth schema pods get`, `berth schema error`. */
export const schema = (program: Program): Command =>
  defineCommand({
    summary: 'print the JSON Schema of what a command prints with --json',
    details:
      'The schemas are of JSON Schema 2020-12. Objects of the service are open, because the service may add members; objects that berth makes have no other members. `berth schema error` is for the error on stderr, `berth schema apply` for the files of `plan` and `apply`, in editors; what `apply --json` prints is `berth schema apply-results`. Without a command, it lists those that have a schema. A schema is for the output without --fields and --jq.',
    args: {
      words: {
        ...arg.many('a command, error or apply', { metavar: 'COMMAND', complete: 'help' }),
        required: false,
      },
    },
    output: { anyOf: [ROWS, ANY_OBJECT] },
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

/** The schemas by command: `pods get`; and that of errors. */
export async function readSchemas(
  ctx: Pick<CommandContext, 'contractSchemas'>,
  program: Program,
): Promise<ReadonlyMap<string, JsonObject>> {
  const contract = await ctx.contractSchemas();
  const schemas = new Map<string, JsonObject>();
  for (const { path, command } of await commandsOf(program)) {
    const printed = printedSchema(command);
    const name = schemaNameOf(path);
    if (printed !== undefined)
      schemas.set(
        name,
        completeSchema(printed, contract, {
          name,
          title: name === path.join(' ') ? `berth ${name} --json` : `what berth ${path.join(' ')} --json prints`,
          description: [command.summary, command.watch === undefined ? '' : '; with --watch, once for each poll'].join(
            '',
          ),
        }),
      );
  }
  const about = {
    name: 'error',
    title: 'an error',
    description: 'what a command prints on stderr when it fails, with --json',
  };
  const files = {
    name: 'apply',
    title: 'a document of apply',
    description: 'what berth plan and berth apply read; what apply prints with --json is in apply-results',
  };
  return schemas
    .set('apply', completeSchema(fileSchema(), contract, files))
    .set('error', completeSchema(ERROR, contract, about));
}

const noSchema = (name: string, known: readonly string[]) =>
  usage(
    `${JSON.stringify(name)} has no schema: it is no command, or it prints no JSON`,
    didYouMean(name, known) ?? sentence`See which have one: ${berth`schema`}`,
  );
