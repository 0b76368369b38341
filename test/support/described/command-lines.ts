import { parse } from 'shell-quote';

/** What `berth help --json` prints, as far as this program uses it. */
export interface Description {
  readonly commands: readonly DescribedCommand[];
}

export interface DescribedCommand {
  readonly command: string;
  readonly writes: boolean;
  readonly changesMachine: boolean;
  readonly destroys: boolean;
  readonly waits: boolean;
  readonly waitsWith: readonly string[];
  readonly needsOneOf?: readonly (readonly string[])[];
  readonly arguments: readonly DescribedValue[];
  readonly flags: readonly (DescribedValue & { readonly flag: string })[];
  readonly examples: readonly { readonly command: string }[];
}

interface DescribedValue {
  readonly name?: string;
  readonly type: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly default?: string | number;
  readonly requiredUnlessOneOf?: readonly string[];
  readonly valuesFrom?: string;
}

/** Runs berth and returns what it printed on stdout. */
export type Ask = (argv: readonly string[]) => Promise<string>;

/** Values by type. `path` is a file with JSON lines. */
const VALUES: Readonly<Record<string, string>> = {
  integer: '1',
  number: '0.5',
  duration: '1m',
  json: '{}',
  path: 'items.jsonl',
  url: 'https://example.com',
  text: 'x',
};

/**
 * Builds command lines for a command from its description alone, the most likely one first: one from its required
 * arguments and flags, then its examples.
 */
export async function commandLines(described: DescribedCommand, ask: Ask): Promise<readonly (readonly string[])[]> {
  const given = new Map<string, string>();
  const argv = described.command.split(' ');
  for (const value of described.arguments) {
    // A value that comes from another argument, such as the job of an endpoint, is given with it.
    const isDependent = value.valuesFrom?.split(' ').some((word) => given.has(word)) === true;
    if (!value.required && value.requiredUnlessOneOf === undefined && !isDependent) continue;
    const text = await valueOf(value, given, ask);
    given.set(value.name ?? '', text);
    argv.push(text);
  }
  const needed = (described.needsOneOf ?? []).map(([flag]) => flag);
  for (const value of described.flags)
    if (value.required || needed.includes(value.flag))
      argv.push(value.flag, ...(value.type === 'switch' ? [] : [await valueOf(value, given, ask)]));
  return [argv, ...examplesOf(described)];
}

async function valueOf(value: DescribedValue, given: ReadonlyMap<string, string>, ask: Ask): Promise<string> {
  const [choice] = value.choices ?? [];
  if (choice !== undefined) return choice;
  if (value.default !== undefined) return String(value.default);
  if (value.valuesFrom !== undefined) {
    const [, ...words] = value.valuesFrom.split(' ');
    const out = await ask(words.map((word) => given.get(word) ?? word));
    const [first] = out.split('\n');
    if (first !== undefined && first !== '') return first;
  }
  return VALUES[value.type] ?? 'x';
}

/** The examples of a command, without those that need a shell, and without the flags that make it wait. */
export const examplesOf = ({ examples, waitsWith }: DescribedCommand): readonly (readonly string[])[] =>
  examples
    .flatMap(({ command }) => exampleLine(command))
    .map((line) => line.filter((word) => !waitsWith.includes(word)));

/** The words of an example; nothing when it needs a shell. */
function exampleLine(line: string): readonly (readonly string[])[] {
  const words = parse(line);
  const [program, ...argv] = words;
  const isPlain = program === 'berth' && !/\$\(|\$\w/.test(line);
  return isPlain && argv.every((word) => typeof word === 'string') ? [argv] : [];
}
