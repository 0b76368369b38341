import { expect, test } from 'vitest';
import { createRequestSlots, type Slot } from '../../../../src/http/throttle.ts';

const { signal } = new AbortController();

test('no more requests are under way than there are slots; the next one begins when one ends', async () => {
  const slots = createRequestSlots(2);
  const first = await slots.take(signal);
  await slots.take(signal);
  let third: Slot | undefined;
  const taking = slots.take(signal).then((slot) => (third = slot));
  await Promise.resolve();
  expect(third).toBeUndefined();
  first.free();
  first.free();
  await taking;
  expect(third).toBeDefined();
  const waits = slots.take(signal);
  expect(await Promise.race([waits, Promise.resolve('waits')])).toBe('waits');
});

test('a refusal halves their number, once for all requests that were under way', async () => {
  const slots = createRequestSlots(16);
  const taken = await Promise.all(Array.from({ length: 16 }, () => slots.take(signal)));
  for (const slot of taken) slot.refused();
  expect(slots.limit()).toBe(8);
  for (const slot of taken) slot.free();
  (await slots.take(signal)).refused();
  expect(slots.limit()).toBe(4);
});

test('a request that is given up while it waits takes no slot', async () => {
  const slots = createRequestSlots(1);
  const first = await slots.take(signal);
  const controller = new AbortController();
  const given = slots.take(controller.signal);
  const next = slots.take(signal);
  controller.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  first.free();
  (await next).free();
});
