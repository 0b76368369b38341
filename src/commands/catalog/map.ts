import { itemsAt, type Json, memberAt, stringAt } from '../../core/json.ts';
import { idOf, type Shown, type View } from '../../output/view.ts';
import { availability } from './show.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';

/** The GPU types as a grid: a row for each type, a column for each data center that any of them names. */
export function mapView(rows: readonly Json[]): View {
  const centers = [...new Set(rows.flatMap(placesOf).flatMap((place) => stringAt(place, 'id') ?? []))].toSorted();
  return {
    noun: ['GPU type', 'GPU types'],
    id: idOf,
    columns: [textColumn('id', { cutLast: true }), ...centers.map((center) => ({ header: center, show: at(center) }))],
  };
}

const placesOf = (row: Json): readonly Json[] => itemsAt(row, 'dataCenters');

/** The availability in one data center; a dash where the type is not offered or cannot be had. */
const at =
  (center: string) =>
  (row: Json): Shown => {
    const place = placesOf(row).find((each) => memberAt(each, 'id') === center);
    return place === undefined || memberAt(place, 'availability') === 'NONE' ? undefined : availability(place);
  };
