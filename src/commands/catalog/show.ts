/** How the fields of catalog entries are shown that take more than their own value. */
import { arrayAt, type Json, memberAt } from '../../core/json.ts';

import { money, text, yesNo, toned } from '../../output/cells/cell-functions.ts';
import type { Cell, Section, Shown } from '../../output/view.ts';

type Lines = Section['lines'];

export const availability = toned('availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' });

/** The overall availability, where it was asked for. */
export const availabilityLines = (row: Json): Lines =>
  memberAt(row, 'availability') === undefined ? [] : [{ label: 'overall', value: availability(row) }];

/** The availability in each place, in one cell of a table. */
export const places =
  (member: string) =>
  (row: Json): Shown =>
    arrayAt(row, member)
      ?.map((each) => place(each).text)
      .join(', ');

/** The availability in each place, a line for each, where it was asked for. */
export const placeLines =
  (member: string, label: string) =>
  (row: Json): Lines => {
    const rows = arrayAt(row, member);
    return rows === undefined ? [] : [{ label, value: rows.map(place) }];
  };

/** `EU-NORTH-1 HIGH`, in the tone of its availability; a CUDA version has yes or no. */
function place(row: Json): Cell {
  const version = text('version')(row);
  if (version !== '') return { text: `${version} ${yesNo('available')(row)}` };
  const { text: word, tone } = availability(row);
  return { text: `${text('id')(row)} ${word}`, tone };
}

/** The price on a cloud; empty where the cloud does not offer the GPU, even if the catalog has a price for it. */
export const cloudPrice =
  (cloud: 'secure' | 'community') =>
  (row: Json): Shown =>
    memberAt(row, cloud) === false ? undefined : money(`price.${cloud}`)(row);

/** `yes, up to 8 in one pod`. */
export const cloud =
  (name: 'secure' | 'community') =>
  (row: Json): string => {
    const offered = yesNo(name)(row);
    const maximum = text(`maxCount.${name}`)(row);
    return offered === 'yes' && maximum !== '' ? `yes, up to ${maximum} in one pod` : offered;
  };

/** `2 to 32`. */
export function vcpus(row: Json): Shown {
  const [minimum, maximum] = [text('vcpu.min')(row), text('vcpu.max')(row)];
  return minimum === '' && maximum === '' ? undefined : `${minimum} to ${maximum}`;
}
