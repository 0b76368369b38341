/** A new pod in the place of one that cannot be changed as its document says. */
import { memberAt, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/body/compose-body.ts';
import { REPLACES } from '../../create/key.ts';
import { withoutNull } from '../../fleet/plan-item.ts';
import { idOf } from '../../output/view.ts';
import type { Account } from './account.ts';
import { costOf, NO_COST } from './cost.ts';
import { writableRow, type FileDocument } from './document/document.ts';
import type { Planned } from './planned.ts';

/**
 * The body of the new one: what the old one has, and over it what its document says. It may be placed in another data center,
 * unless the document names one. It remembers which one it replaces.
 */
export function replacementBody({ kind, name }: FileDocument, row: JsonObject, body: JsonObject): JsonObject {
  const { gpu, cpu, dataCenterIds: _, mounts, locked: _locked, ...others } = writableRow(kind, row);
  const hardware = {
    ...(body['cpu'] === undefined && gpu !== undefined ? { gpu } : {}),
    ...(body['gpu'] === undefined && cpu !== undefined ? { cpu } : {}),
  };
  // A mount is taken over whole, or is another one.
  const mount = body['mounts'] === undefined && mounts !== undefined ? { mounts } : {};
  const whole = withoutNull(merged({ ...others, ...hardware, ...mount }, body));
  return merged(whole, { name, env: { [REPLACES]: idOf(row) } });
}

/** Pods that are still there although another one has taken their place: an earlier apply ended in between. */
export async function planReplaced(
  ctx: CommandContext,
  account: Account,
  document: FileDocument,
): Promise<readonly Planned[]> {
  const { kind, name } = document;
  return await Promise.all(
    (await account.replacedBy(document)).map(async (row: Json): Promise<Planned> => {
      const isKept = document.isReplaced !== true || memberAt(row, 'locked') === true;
      const why = isKept
        ? 'another one has taken its place, and it is there still: --replace removes it, unless it is locked'
        : 'another one has taken its place';
      const { before } = await costOf(ctx, kind.name, row, {});
      return {
        document: { kind, name, id: idOf(row), body: {}, at: document.at },
        row,
        body: {},
        item: { action: isKept ? 'blocked' : 'delete', changes: [], notCompared: [], why },
        cost: { before, after: isKept ? before : NO_COST },
      };
    }),
  );
}
