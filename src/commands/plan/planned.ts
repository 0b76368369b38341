/** A plan as it is made, printed and applied. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Item } from '../../fleet/model.ts';
import type { Cost } from './cost.ts';
import type { FileDocument } from './document.ts';

/** What is to be done about one document, and what it costs. */
export interface Planned {
  readonly document: FileDocument;
  /** What is there, with the members of a document; undefined where nothing is. */
  readonly row: Json | undefined;
  /** What the document asks for, with ids in the place of names. */
  readonly body: JsonObject;
  readonly item: Item;
  readonly cost: Cost;
}

export interface Plan {
  readonly documents: readonly FileDocument[];
  /** In the order of the documents. */
  readonly planned: readonly Planned[];
  /** Texts that came from `--env-from`: none of them is printed. */
  readonly hidden: ReadonlySet<string>;
  /** What a prune removes; undefined without one. */
  readonly pruning: Pruning | undefined;
}

/** The files of a plan, those of their variables, and the set that they are. */
export interface PlanInput {
  readonly files: readonly string[];
  readonly envFrom: readonly string[];
  readonly setName?: string | undefined;
  readonly prune?: boolean;
}

/** What a prune removes, and how many things of the set there are. */
export interface Pruning {
  readonly removed: readonly Planned[];
  readonly ofSet: number;
}
