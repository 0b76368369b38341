import type { Json } from '../../../core/json.ts';
import { augustAnswer, augustRow, existedInAugust } from '../../contract/older-contract.ts';
import type { Operation } from '../call/operation.ts';

/**
 * The published operations as an older server has them: its lists are whole, and what is new is neither taken nor answered.
 * The others (queue, control, worker) stay as they are.
 */
export const asOfAugust = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter(existedInAugust).map((each) => (each.tag === undefined ? each : older(each)));

function older(operation: Operation): Operation {
  const before = augustRow(operation);
  const settings = { pageSize: Number.MAX_SAFE_INTEGER };
  return {
    ...before,
    run: async (call) => {
      const query = new URLSearchParams([...call.query].filter(([name]) => name !== 'cursor' && name !== 'limit'));
      // Not a copy of the call: its signal is made when it is used.
      const whole = Object.create(call, {
        query: { value: query },
        settings: { value: { ...call.settings, ...settings } },
        operation: { value: { ...operation, parameters: [] } },
      }) as typeof call;
      const reply = await before.run(whole);
      return reply.body === undefined ? reply : { ...reply, body: augustAnswer(reply.body) as Json };
    },
  };
}
