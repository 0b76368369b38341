import { noRecords, type Records } from '../../state/records.ts';
import { createPart } from '../../state/record-table.ts';
import type { State } from '../../state/state.ts';
import { CPUS, DATA_CENTERS, GPUS, type CpuData, type GpuData } from './hardware.ts';

/** Free GPUs or vCPUs by data center id. */
type Stock = Readonly<Record<string, number>>;

/**
 * What `berth local stock set` has changed, by hardware id. All other stock has the value in the catalog and never
 * changes.
 */
const changes = createPart<Records<Stock>>('stock', () => noRecords());

/** The GPU types with the stock of this state. */
export const gpusOf = (state: State): readonly GpuData[] => GPUS.map((gpu) => withStock(state, gpu));

/** The CPU flavors with the stock of this state. */
export const cpusOf = (state: State): readonly CpuData[] => CPUS.map((cpu) => withStock(state, cpu));

const withStock = <T extends GpuData | CpuData>(state: State, hardware: T): T => ({
  ...hardware,
  stock: { ...hardware.stock, ...changes.peek(state)?.[hardware.id] },
});

/** Sets how many GPUs or vCPUs are free in these data centers. */
export function setStock(state: State, hardwareId: string, dataCenterIds: readonly string[], free: number): void {
  const changed = Object.fromEntries(dataCenterIds.map((id) => [id, free]));
  changes.of(state)[hardwareId] = { ...changes.of(state)[hardwareId], ...changed };
}

/** Sets all stock to what the catalog has. */
export const resetStock = (state: State): void => {
  changes.replace(state, noRecords());
};

/** Whether `berth local stock set` has left less than `count` of some hardware in a data center. */
export function isTaken(state: State, hardwareId: string, dataCenterId: string, count: number): boolean {
  const free = changes.peek(state)?.[hardwareId]?.[dataCenterId];
  return free !== undefined && free < count;
}

/** The data centers that have some hardware in the catalog. */
export const dataCentersWith = ({ stock }: GpuData | CpuData): readonly string[] =>
  DATA_CENTERS.map(({ id }) => id).filter((id) => stock[id] !== undefined);
