/** What keys do on the screen of top. */
import type { Key } from '../../core/context.ts';
import { keyStep } from '../../output/live/screen.ts';
import { type Sort, SORTS } from './rows.ts';

/** Immutable: `pressed` returns another one. */
export interface Ui {
  readonly mode: 'list' | 'filter' | 'detail' | 'help';
  /** The key of a row. Undefined until a key moves it: then the first row. */
  readonly selected: string | undefined;
  readonly sort: Sort;
  readonly filter: string;
  readonly paused: boolean;
  /** Lines down in a detail. */
  readonly scroll: number;
  readonly quit: boolean;
}

export const FIRST_UI: Ui = {
  ...{ mode: 'list', selected: undefined, sort: 'cost', filter: '', paused: false, scroll: 0, quit: false },
};

const MAX_FILTER = 64;
const MAX_SCROLL = 100_000;

/** `rows`: keys of the rows in the order shown; `page`: how many fit. */
export function pressed(ui: Ui, key: Key, rows: readonly string[], page: number): Ui {
  const { name } = key;
  if (ui.mode === 'help') return { ...ui, mode: 'list' };
  if (ui.mode === 'filter') return pressedInFilter(ui, key);
  if (name === 'p') return { ...ui, paused: !ui.paused };
  const step = keyStep(key, page);
  if (ui.mode === 'detail') {
    if (step !== undefined) return { ...ui, scroll: Math.max(0, Math.min(MAX_SCROLL, ui.scroll + step)) };
    return ['q', 'escape', 'left', 'enter'].includes(name) ? { ...ui, mode: 'list', scroll: 0 } : ui;
  }
  const selected = selectedOf(ui, rows);
  if (step !== undefined) {
    const at = rows.indexOf(selected ?? '') + step;
    return { ...ui, selected: rows[Math.max(0, Math.min(rows.length - 1, at))] };
  }
  const changes: Readonly<Record<string, Partial<Ui>>> = {
    q: { quit: true },
    s: { sort: SORTS[(SORTS.indexOf(ui.sort) + 1) % SORTS.length] ?? 'cost' },
    '/': { mode: 'filter' },
    '?': { mode: 'help' },
    escape: { filter: '' },
    enter: selected === undefined ? {} : { selected, mode: 'detail' },
  };
  return Object.hasOwn(changes, name) ? { ...ui, ...changes[name] } : ui;
}

/** The first row if the selected one is not shown. */
export const selectedOf = ({ selected }: Ui, rows: readonly string[]): string | undefined =>
  selected !== undefined && rows.includes(selected) ? selected : rows[0];

function pressedInFilter(ui: Ui, { name, text = '' }: Key): Ui {
  if (name === 'enter') return { ...ui, mode: 'list' };
  if (name === 'escape') return { ...ui, mode: 'list', filter: '' };
  const characters = Array.from(ui.filter + text);
  const kept = name === 'backspace' ? characters.slice(0, -1) : characters.slice(0, MAX_FILTER);
  return { ...ui, filter: kept.join('') };
}

export const KEY_HELP: readonly (readonly [keys: string, meaning: string])[] = [
  ['q', 'quit, or back to the list'],
  ['up down j k', 'select a row; in a detail, scroll'],
  ['page up, page down, space, g, G', 'a page up or down; the first and the last row'],
  ['s', `sort by the next of ${SORTS.join(', ')}`],
  ['/', 'filter by name, id or status; escape shows everything'],
  ['enter', 'show the selected row'],
  ['p', 'pause or resume reading'],
];
