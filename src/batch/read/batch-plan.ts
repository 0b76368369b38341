import type { BatchInputs } from './inputs.ts';
import type { InvalidItem, Item } from './items/item.ts';
import type { PlannedRange } from './range.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** The checked inputs of a new batch, cut into ranges. */
export interface BatchPlan extends BatchInputs {
  readonly ranges: readonly PlannedRange[];
  readonly summary: InputSummary;
}

/** What an input contains. */
export interface InputSummary {
  readonly planned: number;
  readonly invalid: number;
  readonly invalidItems: readonly InvalidItem[];
  readonly bytes: Bytes;
  /** Size of all bodies together, and of the largest. */
  readonly bodyBytes: Bytes;
  readonly largestBody: Bytes;
  readonly first: Item | undefined;
  /** Cells of CSV files that lost the apostrophe of an export. */
  readonly removedApostrophes: number;
}
