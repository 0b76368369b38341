/** What the three `explain` verbs share. Small: it is loaded with each noun, the causes only when one runs. */
import type { CommandContext } from '../../cli/model/context.ts';
import { type CommandWords, defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Facts } from './reads.ts';

export const explainCommand = <const A extends Params>(
  spec: CommandWords & {
    readonly args: A;
    /** The members that name what is explained: `endpoint`, `job`. */
    readonly about: readonly string[];
    readonly read: (ctx: CommandContext, values: ValuesOf<A>) => Promise<Facts>;
  },
) => {
  const { about, read, details, ...words } = spec;
  return defineCommand({
    ...words,
    details:
      `Prints the verdict, the evidence with the request behind it, and the commands that help. ${details ?? ''}`.trim(),
    output: () =>
      ownObject({
        verdict: TEXT,
        code: TEXT,
        state: oneOf('ok', 'waiting', 'blocked'),
        ...Object.fromEntries(about.map((name) => [name, TEXT])),
        evidence: manyOf(ownObject({ fact: TEXT, value: TEXT, source: TEXT })),
        cure: manyOf(TEXT),
      }),
    options: { exitStatus: option.on('end 10 when it is blocked: nothing moves until something is changed') },
    exits: [EXIT.jobFailed],
    run: async (ctx, values) => {
      const facts = await read(ctx, values);
      const { explained } = await import('./causes.ts');
      return explained(ctx, facts, values.exitStatus);
    },
  });
};
