/** The ids of all jobs of a batch, to notice one that is given twice. */
export interface JobIds {
  /** False where it was added before; once in some thousand million times also where it was not. */
  add(id: string): boolean;
}

/** Places for each id: with more the table is larger, with fewer a search takes longer. */
const PLACES = 1.5;

/**
 * Remembers up to `most` ids in six bytes each: of an id it keeps 32 bits of a hash, near the place that another part of
 * the hash names.
 */
export function createJobIds(most: number): JobIds {
  const places = Math.ceil(most * PLACES) + 16;
  const kept = new Uint32Array(places);
  let count = 0;
  return {
    add: (id) => {
      const [first, second] = hashesOf(id);
      const mark = first === 0 ? 1 : first;
      let place = second % places;
      for (let other = kept[place]; other !== 0 && other !== undefined; other = kept[place]) {
        if (other === mark) return false;
        place = place + 1 === places ? 0 : place + 1;
      }
      // Where far more ids come than there are items, as after many resubmissions, the rest is not remembered.
      if (count < most * 1.25) {
        kept[place] = mark;
        count += 1;
      }
      return true;
    },
  };
}

/** Two numbers of 32 bits, as good as independent: two rounds of multiplication and shifting over the characters. */
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
