import Big from 'big.js';
import { encodeJson, Exact, memberAt, numberOf, type Json } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';

/** An exact decimal amount in US dollars. */
export type Money = Big;

export const NOTHING: Money = new Big(0);

/** An amount that was computed as a number: for estimates only. */
export const moneyOf = (amount: number): Money => new Big(amount);

/** Returns the amount of a member with all its digits; nothing when it is absent or no number. */
export function amountAt(record: Json, member: string): Money {
  const value = memberAt(record, member);
  return value === undefined || numberOf(value) === undefined ? NOTHING : new Big(encodeJson(value));
}

export const sum = (amounts: readonly Money[]): Money => amounts.reduce((total, amount) => total.plus(amount), NOTHING);

/** Returns `part * numerator / denominator`, rounded to a hundredth of a cent: for estimates only. */
export const scaled = (part: Money, numerator: number, denominator: number): Money =>
  part.times(numerator).div(denominator).round(4);

/** The number as JSON, with all its digits. */
export const moneyJson = (amount: Money): Exact => new Exact(amount.toFixed());

export const formatMoney = (amount: Money): string => formatDollars(amount.toNumber());

/** Parses `500` or `99.90`; undefined for anything else, and for a negative amount. */
export const parseMoney = (text: string): Money | undefined =>
  /^\$?\d+(?:\.\d+)?$/.test(text.trim()) ? new Big(text.trim().replace('$', '')) : undefined;
