/** An earlier release as an update: what the releases after it changed is taken back, as their records have it. */
import { changedCommand, COMMAND_MEMBERS } from '../../cli/container/container-command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf, withMember } from '../../cli/resource/request-body.ts';
import { defineCommand, yesOption } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { patch, written } from '../../cli/resource/noun-writes.ts';
import { idArgument, rowSchema } from '../../cli/resource/arguments.ts';
import { each, labelOf, readListOf, readRow, refused } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import {
  encodeJson,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  memberOf,
  objectAt,
  objectOf,
} from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { run } from '../../cli/hint.ts';
import { hideSecrets } from '../../core/secret-names.ts';
import { bodyOfChanges, type Kind, planUpdate } from '../../fleet/differences.ts';
import { text } from '../../output/cells.ts';
import { asksForData, idOf } from '../../output/view.ts';
import { ENDPOINTS, WAIT, waited } from './write.ts';

const nameOf = (release: Json): string => text('version')(release) || idOf(release);

const ACCEPTED = bodyOf(ENDPOINTS.table, 'update').accepts;

/** What an update sends for a member that was empty. */
const EMPTY: Readonly<Record<string, Json>> = { args: '', cmd: [], entrypoint: [], env: {}, ports: [], registry: null };

const KIND: Kind = {
  updates: ACCEPTED,
  writeOnly: [],
  unordered: ['ports'],
  effect: () => 'release',
  command: { members: COMMAND_MEMBERS, changed: changedCommand },
  emptied: (path) => (path.startsWith('env.') ? null : EMPTY[path]),
  refusal: () => undefined,
};

export const rollback = defineCommand({
  summary: 'return an endpoint to an earlier release',
  details: 'Shows what changes and asks. Makes a new release, which replaces the workers one by one.',
  args: {
    id: idArgument(ENDPOINTS),
    release: arg.optional('release version or id; default: the one before the newest'),
  },
  options: { ...WAIT, yes: yesOption },
  fields: ENDPOINTS.view.paths,
  output: rowSchema(ENDPOINTS),
  writes: true,
  examples: [
    ['berth endpoints rollback captions --wait --yes', 'to the release before the newest, without a question'],
    ['berth endpoints rollback captions 2 --yes', 'to release 2'],
  ],
  run: async (ctx, { id: word, release, ...values }) => {
    requireYes(ctx);
    const row = (await readRow(ctx, ENDPOINTS, word)).value ?? null;
    const { values: releases } = (await readListOf(ctx, ENDPOINTS, word, 'releases')).list;
    const at = release === undefined ? 1 : releases.findIndex((one) => [nameOf(one), idOf(one)].includes(release));
    const target = releases[at];
    if (target === undefined)
      throw new Failure({
        code: 'no-release',
        exit: EXIT.notFound,
        message: `endpoint ${labelOf(row)} has no ${release === undefined ? 'earlier release' : `release ${release}`}`,
        hint: run(berth`endpoints releases ${word}`),
        id: idOf(row),
      });
    const { before, lacking } = takenBack(releases.slice(0, at));
    for (const line of lacking) await ctx.tell(line);
    const removed = Object.keys(objectAt(row, 'env') ?? {}).map((name) => [name, null] as const);
    const env =
      before['env'] === undefined ? {} : { env: { ...Object.fromEntries(removed), ...objectOf(before['env']) } };
    const { changes, why } = await planUpdate(KIND, row, { ...before, ...env });
    if (why !== undefined) throw refused([why], run(berth`endpoints releases ${word}`), 1);
    const to = `release ${nameOf(target)}`;
    if (changes.length === 0) return { kind: 'nothing', notes: [`endpoint ${labelOf(row)} is already as ${to}`] };
    if (!ctx.settings.get('quiet') && !asksForData(ctx.output))
      for (const { path, before: old, after } of changes)
        await ctx.tell(`${path}  ${shown(ctx, path, old)} -> ${shown(ctx, path, after)}`);
    await ask(ctx, { line: `endpoint ${labelOf(row)} returns to ${to}: its workers are replaced one by one.` });
    const sent = Object.entries(bodyOfChanges(before, changes)).map(([member, value = null]) => [
      member,
      value ?? EMPTY[member] ?? null,
    ]);
    const [done] = await each(ctx, ENDPOINTS, [{ word }], (id) =>
      ctx.api.send(patch(ENDPOINTS, id, Object.fromEntries(sent) as JsonObject)),
    );
    if (done?.answer === undefined) throw done?.failure ?? new Error('no outcome');
    const result = await written(ctx, ENDPOINTS, done.answer, `returned to ${to}:`);
    return await waited(ctx, result, done.answer.value ?? null, values);
  },
});

/** The members as they were before these releases, the newest first, and a line for each change without a record. */
function takenBack(releases: readonly Json[]): { readonly before: JsonObject; readonly lacking: readonly string[] } {
  const before: Record<string, Json> = {};
  const lacking: string[] = [];
  for (const release of releases) {
    const diff = itemsAt(release, 'diff');
    if (diff.length === 0) lacking.push(`Release ${nameOf(release)} has no record of what it changed.`);
    for (const change of diff) {
      const [field, old] = [text('field')(change), memberAt(change, 'old')];
      if (old !== undefined && ACCEPTED.includes(field)) before[field] = old;
      else lacking.push(`Release ${nameOf(release)} changed ${field}, which no update can return: it stays.`);
    }
  }
  return { before, lacking };
}

/** Hidden as in a plan. */
function shown({ output: { isSecret } }: CommandContext, path: string, value: Json): string {
  if (value === null) return 'none';
  const [member = '', ...name] = path.split('.');
  const row = withMember(undefined, [member, name.join('.')].filter(Boolean), value);
  const seen = memberOf(isSecret === undefined ? row : hideSecrets(row, isSecret), member) ?? null;
  const text = name.length === 0 ? seen : (memberOf(seen, name.join('.')) ?? null);
  return typeof text === 'string' ? text : encodeJson(text);
}
