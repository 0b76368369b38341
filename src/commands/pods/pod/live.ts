/** What `pods get --watch` shows: first what changes, then the rest of the detail view. */
import { itemsAt, type Json, memberAt, numberAt } from '../../../core/json.ts';
import { duration, status, text } from '../../../output/cells/cell-functions.ts';
import type { Facts, Gauge, LiveFacts, Section, Shown } from '../../../output/view.ts';
import { valuesOf } from '../../shared/history.ts';
import { hourlyCost, openPorts } from './show.ts';

type Detail = (row: Json, facts: Facts) => readonly Section[];

export const liveSections =
  (detail: Detail) =>
  (row: Json, facts: LiveFacts): readonly Section[] => {
    const above: Section['lines'] = [
      { label: 'name', value: text('name')(row) },
      { label: 'status', value: status()(row) },
      ...hourlyCost(row),
      { label: 'uptime', value: duration('runtime.uptime', 's')(row) },
    ];
    const shown = above.map(({ label }) => label);
    const [first, ...others] = detail(row, facts).filter(({ title }) => title !== 'runtime');
    return [
      { lines: above },
      { title: 'use', lines: useLines(row, facts) },
      { title: 'details', lines: (first?.lines ?? []).filter(({ label }) => !shown.includes(label)) },
      ...others,
    ];
  };

/** A line for each GPU, one for CPU and memory, and one for the ports. */
function useLines(row: Json, facts: LiveFacts): Section['lines'] {
  const gpus = itemsAt(row, 'runtime.gpus');
  return [
    ...gpus.map((_, at) => ({
      label: `gpu ${at}`,
      value: pair(row, facts, `runtime.gpus.${at}.util`, `runtime.gpus.${at}.memoryUtil`),
    })),
    { label: 'cpu', value: pair(row, facts, 'runtime.cpu.util', 'runtime.memory.util') },
    { label: 'open ports', value: openPorts(row).join(', ') },
  ];
}

/** Columns of a line beside two sparklines: the label, both bars and numbers, and `memory`. */
const FIXED_COLUMNS = 55;

function pair(row: Json, { samples, columns }: LiveFacts, use: string, memory: string): Shown {
  if (memberAt(row, 'runtime') === null) return undefined;
  const width = Math.max(0, Math.min(60, Math.floor((columns - FIXED_COLUMNS) / 2)));
  const gauge = (path: string): Gauge => {
    const percent = numberAt(row, path);
    return {
      text: percent === undefined ? text(path)(row) || '-' : `${text(path)(row)}%`,
      percent: percent ?? 0,
      history: valuesOf(samples, path),
      most: 100,
      columns: width,
    };
  };
  return { gauges: [gauge(use), { ...gauge(memory), label: 'memory' }] };
}
