/** Characters whose order in UTF-16 is not that of their bytes in UTF-8. */
const OTHER_ORDER = /[\ud800-\uffff]/;

/** Compares two texts by their bytes in UTF-8. */
export function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  if (OTHER_ORDER.test(one) && OTHER_ORDER.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}
