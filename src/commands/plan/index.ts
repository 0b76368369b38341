import { EXIT } from '../../core/exit-codes.ts';
import { usage } from '../../core/failure.ts';
import { objectOf, stringOf, type Json, type JsonObject, memberAt, memberOf } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { arg, option } from '../../cli/model/params.ts';
import type { YamlDocument } from '../../cli/resource/body/parse-yaml.ts';
import { countOf } from '../../cli/words/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import type { Item } from '../../fleet/model.ts';
import { planCreate, planUpdate } from '../../fleet/plan-item.ts';
import { withoutVariables, withVariables } from '../../fleet/variables.ts';
import { HIDDEN, hideSecrets, type IsSecret } from '../../core/text/secret-names.ts';
import { completeEnvironment, readVariables } from '../shared/environment.ts';
import { rateText } from '../shared/rate/rate.ts';
import { createAccount, type Account } from './account.ts';
import { costOf, type Cost } from './cost.ts';
import { checkDocument, placed, type FileDocument } from './document.ts';
import { readFiles } from './read-files.ts';
import { PLAN, planView } from './view.ts';

/** What is to be done about one document, and what it costs. */
interface Planned {
  readonly document: FileDocument;
  readonly row: Json | undefined;
  readonly item: Item;
  readonly cost: Cost;
}

/** `berth plan`: how what is at the service differs from what files say. It writes nothing. */
export const plan = defineCommand({
  summary: 'compare what files describe with what is there',
  details:
    'It changes nothing. A file is YAML or JSON: what `get -o yaml` prints, and kind: pod, endpoint, template, volume or registry; several documents are separated by ---. Only members that a file gives are compared, and null clears one. A thing is found by its kind and name, or by its id. template, volume and registry may be names, of the files first. The cost is that of pods while they run, of volumes, and of workers that always run. It ends 0 when nothing differs, 16 when something does, and 2 when a file is wrong.',
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts('replace ${NAME} in the files by variables of this file of NAME=VALUE lines', {
      metavar: 'FILE',
      complete: 'file',
    }),
  },
  exits: [EXIT.planDiffers],
  output: PLAN,
  examples: [
    ['berth plan fleet.yaml', 'what differs, member by member'],
    ['berth plan fleet/ --env-from variables.env', 'all files of a folder, with variables'],
    ['berth plan fleet.yaml --json', 'a line of a CI job: 16 when something differs'],
  ],
  run: async (ctx, { files, envFrom }): Promise<Result> => {
    const hidden = new Set<string>();
    const read = await readFiles(ctx, files);
    const documents = (await replaceVariables(ctx, read, envFrom, hidden)).map(checkDocument);
    refuseTwice(documents);
    const account = createAccount(ctx, documents);
    const planned: Planned[] = [];
    for (const document of documents) planned.push(await planDocument(ctx, account, document));
    refuseSameRow(planned);
    const differs = planned.some(({ item }) => item.action !== 'none');
    return {
      kind: 'many',
      view: planView,
      values: planned.map((each) => rowOf(each, { texts: hidden, isSecret: ctx.output.isSecret })),
      notes: isTableOutput(ctx.output) ? notesOf(planned) : [],
      ...(differs ? { exit: EXIT.planDiffers } : {}),
    };
  },
});

/** Replaces variables where `--env-from` allows it; without it, `${NAME}` is text. */
async function replaceVariables(
  ctx: CommandContext,
  documents: readonly YamlDocument[],
  files: readonly string[],
  hidden: Set<string>,
): Promise<readonly YamlDocument[]> {
  if (files.length === 0) return documents;
  const variables = new Map<string, string>();
  for (const file of files)
    for (const [name, value] of Object.entries(await readVariables(ctx, file, '--env-from')))
      variables.set(name, stringOf(value) ?? '');
  return documents.map(({ value, at }) => ({
    at,
    value: withVariables(value, variables, hidden, (path, name) => {
      throw usage(
        `${at(path)}: no file of --env-from has a variable ${name}`,
        'Write $${' + name + '} for the text itself.',
      );
    }),
  }));
}

/** Refuses two documents of one thing: usage (2). */
function refuseTwice(documents: readonly FileDocument[]): void {
  const seen = new Map<string, FileDocument>();
  for (const document of documents) {
    // An id tells two of one name apart.
    const key = JSON.stringify([document.kind.name, document.id ?? null, document.name]);
    const before = seen.get(key);
    if (before !== undefined)
      throw usage(
        `${document.at(['name'])}: this ${document.kind.name} is in the files already: ${before.at(['name'])}`,
      );
    seen.set(key, document);
  }
}

/** Refuses two documents that mean one row, one by its id and one by its name: usage (2). */
function refuseSameRow(planned: readonly Planned[]): void {
  const seen = new Map<string, FileDocument>();
  for (const { document, row } of planned) {
    if (row === undefined) continue;
    const key = `${document.kind.name} ${idOf(row)}`;
    const before = seen.get(key);
    if (before !== undefined) throw usage(`${document.at(['name'])}: ${before.at(['name'])} describes ${key} too`);
    seen.set(key, document);
  }
}

async function planDocument(ctx: CommandContext, account: Account, document: FileDocument): Promise<Planned> {
  const { kind, at } = document;
  const found = await account.rowOf(document);
  const row = found === undefined ? undefined : kind.adapt(objectOf(found) ?? {});
  const env = memberAt(document.body, 'env');
  const complete = env === undefined ? undefined : await completeEnvironment(ctx, env, {});
  const body = await account.withIds(
    document,
    complete === undefined ? document.body : { ...document.body, env: complete },
    row,
  );
  try {
    const wanted = row === undefined ? newBody(document, body) : await kind.settle(row, body);
    const rules = kind.planned(ctx);
    const item = row === undefined ? planCreate(rules, wanted) : await planUpdate(rules, row, wanted);
    const cost = await costOf(ctx, kind.name, row, item.action === 'blocked' ? {} : wanted);
    return { document, row, item, cost };
  } catch (error) {
    throw placed(error, at([]));
  }
}

/** The body of a create: without what null clears. Fails with usage (2) where a needed member is missing. */
function newBody({ kind }: FileDocument, body: JsonObject): JsonObject {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const missing = kind.needed.filter((group) => group.every((path) => memberAt(given, path) === undefined));
  if (missing.length > 0)
    throw usage(`a new ${kind.name} needs ${missing.map((group) => group.join(' or ')).join(', and ')}`);
  kind.checkNew?.(given);
  return given;
}

/** What is not printed: texts from variables, and the variables of containers that are secret by their names. */
interface Hiding {
  readonly texts: ReadonlySet<string>;
  readonly isSecret: IsSecret | undefined;
}

/** The value of a changed member as it is printed, in every format: a plan is kept in the logs of CI. */
function shownValue(path: string, value: Json, { texts, isSecret }: Hiding): Json {
  if (path === 'password') return HIDDEN;
  const shown = withoutVariables(value, texts);
  const variable = path.startsWith('env.') ? path.slice('env.'.length) : undefined;
  if (isSecret === undefined || (variable === undefined && path !== 'env')) return shown;
  const env = memberOf(hideSecrets({ env: variable === undefined ? shown : { [variable]: shown } }, isSecret), 'env');
  return (variable === undefined ? env : memberOf(env, variable)) ?? null;
}

function rowOf({ document, row, item, cost }: Planned, hiding: Hiding): JsonObject {
  const { kind, name, at } = document;
  return {
    action: item.action,
    kind: kind.name,
    name,
    ...(row === undefined ? {} : { id: idOf(row) }),
    changes: item.changes.map(({ path, before, after, effect }) => {
      const shown = shownValue(path, after, hiding);
      // What a variable replaces was most likely a secret too.
      const isHidden = before !== null && shown === HIDDEN;
      return { path, before: isHidden ? HIDDEN : shownValue(path, before, hiding), after: shown, effect };
    }),
    notCompared: item.notCompared,
    ...(item.why === undefined ? {} : { why: item.why }),
    costBefore: cost.before ?? null,
    costAfter: cost.after ?? null,
    from: at([]),
  };
}

/** `1 to create, 2 to update; $1.20 an hour to $2.40 an hour.` */
function notesOf(planned: readonly Planned[]): readonly string[] {
  if (planned.length === 0) return ['The files hold no document.'];
  const counts = (['create', 'update', 'blocked', 'none'] as const).flatMap((action) => {
    const count = planned.filter(({ item }) => item.action === action).length;
    return count === 0 ? [] : [`${count} ${WORDS[action]}`];
  });
  const sum = (when: keyof Cost): string => {
    const costs = planned.map(({ cost }) => cost[when]);
    const unknown = costs.filter((cost) => cost === undefined).length;
    return rateText({
      total: costs.reduce<number>((total, cost) => total + (cost ?? 0), 0),
      unknown: unknown === 0 ? [] : [`the cost of ${countOf(unknown, 'thing')} is not known`],
    });
  };
  return [`${counts.join(', ')}. They cost ${sum('before')} now, and ${sum('after')} then.`];
}

const WORDS = {
  create: 'to create',
  update: 'to change',
  blocked: 'that cannot be made so',
  none: 'as described',
} as const;
