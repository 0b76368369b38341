import { ROWS, type OperationId } from './rows.ts';
import type { Operation } from '../operation.ts';

/** An operation of the published contract: its row and what it does. */
export const operation = (id: OperationId, run: Operation['run']): Operation => ({ ...ROWS[id], id, run });
