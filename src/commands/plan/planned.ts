import type { Json, JsonObject } from '../../core/json.ts';
import type { Item } from '../../fleet/model.ts';
import type { ItemCost } from './cost.ts';
import type { FileDocument } from './document.ts';

export interface Planned {
  readonly document: FileDocument;
  /** With the members of a document; undefined where nothing exists. */
  readonly row: Json | undefined;
  /** With ids in place of names. */
  readonly body: JsonObject;
  readonly item: Item;
  readonly cost: ItemCost;
}

export interface Plan {
  readonly documents: readonly FileDocument[];
  readonly planned: readonly Planned[];
  /** Texts from `--env-from`: never printed. */
  readonly hidden: ReadonlySet<string>;
  readonly pruning: Pruning | undefined;
}

export interface PlanInput {
  readonly files: readonly string[];
  readonly envFrom: readonly string[];
  readonly setName?: string | undefined;
  readonly prune?: boolean;
}

export interface Pruning {
  readonly removed: readonly Planned[];
  readonly ofSet: number;
}
