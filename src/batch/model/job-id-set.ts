/** Slots of the hash table per id. More slots need more memory, fewer make probing slower. */
const SLOTS_PER_ID = 1.5;

/**
 * Creates a set for up to `capacity` ids that needs six bytes per id: an open-addressing hash table that stores 32 bits
 * of a hash and is indexed by 32 other bits.
 */
export function createJobIds(capacity: number) {
  const slotCount = Math.ceil(capacity * SLOTS_PER_ID) + 16;
  const slots = new Uint32Array(slotCount);
  let count = 0;
  return {
    /** Returns false when the id was added before; in rare cases (about one id in several billion) also for a new id. */
    add: (id: string): boolean => {
      const [first, second] = hashesOf(id);
      // Zero marks an empty slot.
      const stored = first === 0 ? 1 : first;
      let slot = second % slotCount;
      for (let other = slots[slot]; other !== 0 && other !== undefined; other = slots[slot]) {
        if (other === stored) return false;
        slot = slot + 1 === slotCount ? 0 : slot + 1;
      }
      // After many resubmissions there are more ids than items: those beyond the capacity are not stored.
      if (count < capacity * 1.25) {
        slots[slot] = stored;
        count += 1;
      }
      return true;
    },
  };
}

/** The ids of all jobs of a batch, to detect when the service returns the same id for two jobs. */
export type JobIds = ReturnType<typeof createJobIds>;

/** Returns two nearly independent 32-bit hashes of a text. */
function hashesOf(text: string): readonly [number, number] {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    first = Math.imul(first ^ character, 2_654_435_761);
    second = Math.imul(second ^ character, 1_597_334_677);
  }
  first = Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909);
  second = Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
  return [first >>> 0, second >>> 0];
}
