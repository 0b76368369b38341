/** Texts of values that a JSON number or a Date would round. */

/** Returns the text of an integer that is `scale` digits too large, such as `-12.50` for -1250 and 2. */
export function decimalText(unscaled: number | bigint | Uint8Array, scale: number): string {
  const value = unscaled instanceof Uint8Array ? signedInteger(unscaled) : BigInt(unscaled);
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Decodes an integer whose first byte is the highest one, in two's complement. */
function signedInteger(bytes: Uint8Array): bigint {
  if (bytes.byteLength === 0) return 0n;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return BigInt.asIntN(bytes.byteLength * 8, BigInt(`0x${hex}`));
}

const DAY_SECONDS = 86_400n;

/** Returns `2024-01-31` for days since 1970-01-01. Years outside 0000 to 9999 have a sign and six digits or more. */
export function dateText(days: number): string {
  // The Gregorian calendar repeats after 400 years; the year begins in March here, so that a leap day is the last one.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  return `${yearText(year)}-${two(month >= 10 ? month - 9 : month + 3)}-${two(day)}`;
}

const yearText = (year: number): string =>
  year >= 0 && year <= 9999
    ? String(year).padStart(4, '0')
    : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;

/** Returns `2024-01-31T12:00:00.123456` for a number of parts of a second since 1970, with so many digits. */
export function timestampText(value: bigint, digits: 3 | 6 | 9): string {
  const perDay = DAY_SECONDS * 10n ** BigInt(digits);
  const ofDay = ((value % perDay) + perDay) % perDay;
  return `${dateText(Number((value - ofDay) / perDay))}T${timeText(ofDay, digits)}`;
}

/** Returns `12:00:00.123456` for a number of parts of a second since midnight, with so many digits. */
export function timeText(value: bigint, digits: 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = Number(value / perSecond);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}.${String(value % perSecond).padStart(digits, '0')}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns `P1M2DT3.004S` for months, days and milliseconds of four bytes each, the lowest byte first. */
export function durationText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months, days, milliseconds] = [0, 4, 8].map((offset) => view.getUint32(offset, true)) as [
    number,
    number,
    number,
  ];
  const seconds = `${String(Math.floor(milliseconds / 1000))}.${String(milliseconds % 1000).padStart(3, '0')}`;
  return `P${String(months)}M${String(days)}DT${seconds}S`;
}
