import { memberAt, stringOf, type Json } from '../../core/json.ts';
import { jobOutcome } from '../../queue/job-status.ts';
import type { Ending } from './item-state-machine.ts';

/** Returns how the item of a result line ended. A status that is not known counts as failed. */
export const stateOf = (result: Json): Ending =>
  jobOutcome(result) ?? (stringOf(memberAt(result, 'status')) === 'EXPIRED' ? 'expired' : 'failed');
