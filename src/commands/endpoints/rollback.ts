import { isDeepStrictEqual } from 'node:util';
import { defineCommand, waitOptions, yesOption } from '../../cli/model/command.ts';
import { arg } from '../../cli/model/params.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { run } from '../../cli/hint.ts';
import { writablePaths } from '../../cli/resource/body-members.ts';
import { patch, written } from '../../cli/resource/noun-writes.ts';
import { idArgument, rowSchema } from '../../cli/resource/arguments.ts';
import { labelOf, readListOf, readRow, withId } from '../../cli/resource/targets.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { encodeJson, itemsAt, type Json, type JsonObject, memberAt, memberOf, objectOf } from '../../core/json.ts';
import { berth } from '../../core/message.ts';
import { text } from '../../output/cells.ts';
import { idOf } from '../../output/view.ts';
import { ENDPOINTS } from './fields.ts';
import { ROLLOUT } from './releases.ts';

const nameOf = (release: Json): string => text(release, 'version') || idOf(release);

const ACCEPTED = writablePaths(ENDPOINTS.table, 'update');

/** What an update sends for a member that was empty. */
const EMPTY: Readonly<Record<string, Json>> = { args: '', cmd: [], entrypoint: [], env: {}, ports: [] };

export const rollback = defineCommand({
  summary: 'return an endpoint to an earlier release',
  details: 'Shows what changes and asks. Makes a new release, which replaces the workers one by one.',
  args: {
    id: idArgument(ENDPOINTS),
    release: arg.optional('release version or id; default: the one before the newest'),
  },
  options: { ...waitOptions(ROLLOUT.summary), yes: yesOption },
  fields: ENDPOINTS.view.paths,
  output: () => rowSchema(ENDPOINTS),
  writes: true,
  examples: [
    ['berth endpoints rollback captions --wait --yes', 'to the release before the newest, without a question'],
    ['berth endpoints rollback captions 2 --yes', 'to release 2'],
  ],
  run: async (ctx, { id: word, release, wait, waitTimeout }) => {
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
      });
    const { before, lacking } = takenBack(releases.slice(0, at));
    const sent = Object.entries(before).map(([member, old]) => [member, old ?? EMPTY[member] ?? null] as const);
    const body = Object.fromEntries(
      sent.filter(([member, value]) => !isDeepStrictEqual(memberAt(row, member) ?? null, value)),
    );
    const to = `release ${nameOf(target)}`;
    if (Object.keys(body).length === 0)
      return { kind: 'nothing', notes: [...lacking, `endpoint ${labelOf(row)} is already as ${to}`] };
    const changed = Object.entries(body).map(([member, value]) => changeLine(row, member, value));
    for (const line of [...lacking, ...changed]) await ctx.tell(line);
    await ask(ctx, { line: `endpoint ${labelOf(row)} returns to ${to}: its workers are replaced one by one.` });
    const answer = await withId(ctx, ENDPOINTS, word, (id) => ctx.api.send(patch(ENDPOINTS, id, body)));
    const result = await written(ctx, ENDPOINTS, answer, `returned to ${to}:`);
    return wait ? await ROLLOUT.end(ctx, result, idOf(answer.value), waitTimeout) : result;
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
      const [field, old] = [text(change, 'field'), memberAt(change, 'old')];
      if (old !== undefined && ACCEPTED.includes(field)) before[field] = old;
      else lacking.push(`Release ${nameOf(release)} changed ${field}, which no update can return: it stays.`);
    }
  }
  return { before, lacking };
}

/** `image  a:2 -> a:1`; of variables the names alone. */
function changeLine(row: Json, member: string, value: Json): string {
  const old = memberAt(row, member) ?? null;
  if (member !== 'env') return `${member}  ${textOf(old)} -> ${textOf(value)}`;
  const names = Object.keys({ ...objectOf(old), ...objectOf(value) });
  return `env  ${names.filter((name) => memberOf(old, name) !== memberOf(value, name)).join(', ')}`;
}

const textOf = (value: Json): string =>
  value === null ? 'none' : typeof value === 'string' ? value : encodeJson(value);
