import type { Price } from '../../../cli/resource/ask-before-write.ts';

/** A part of storage that is paid by its size, before and after an update. */
export interface StorageChange {
  readonly name: string;
  /** GB. */
  readonly from: number;
  /** GB. */
  readonly to: number;
}

/** What an update of storage costs more or less; a person is asked where some of it grows. Undefined where all stays. */
export function storagePrice(parts: readonly StorageChange[]): Price | undefined {
  const changed = parts.filter(({ from, to }) => from !== to);
  if (changed.length === 0) return undefined;
  const asks = changed.some(({ from, to }) => to > from);
  const sizes = changed.map(({ name, from, to }) => `${name} ${from} GB to ${to} GB`).join(', ');
  return { line: `It costs ${asks ? 'more' : 'less'}: ${sizes}. The service publishes no price for it.`, asks };
}
