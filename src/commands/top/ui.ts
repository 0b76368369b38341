import { type Sort, SORTS } from './rows.ts';
import type { Key } from '../../core/context.ts';
import { keyStep } from '../../output/live/screen.ts';

/** Immutable: `pressed` returns another one. */
export interface Ui {
  readonly mode: 'list' | 'filter' | 'detail' | 'logs' | 'help';
  /** Undefined until a key moves it: then the first row. */
  readonly selected: string | undefined;
  readonly sort: Sort;
  readonly filter: string;
  readonly paused: boolean;
  /** Lines: down in a detail, up from the end in a log. */
  readonly scroll: number;
  readonly quit: boolean;
}

export const FIRST_UI: Ui = {
  mode: 'list',
  selected: undefined,
  sort: 'cost',
  filter: '',
  paused: false,
  scroll: 0,
  quit: false,
};

const MAX_FILTER = 64;

/** `rows`: keys of the rows in the order shown; `page`: how many fit. */
export function pressed(ui: Ui, key: Key, rows: readonly string[], page: number): Ui {
  switch (ui.mode) {
    case 'list':
      return pressedInList(ui, key, rows, page);
    case 'filter':
      return pressedInFilter(ui, key);
    case 'help':
      return { ...ui, mode: 'list' };
    case 'detail':
    case 'logs':
      return pressedInPage(ui, key, page);
  }
}

/** The first row if the selected one is not shown. */
export const selectedOf = ({ selected }: Ui, rows: readonly string[]): string | undefined =>
  selected !== undefined && rows.includes(selected) ? selected : rows[0];

function pressedInList(ui: Ui, key: Key, rows: readonly string[], page: number): Ui {
  const step = keyStep(key, page);
  if (step !== undefined) {
    const at = rows.indexOf(selectedOf(ui, rows) ?? '') + step;
    return { ...ui, selected: rows[Math.max(0, Math.min(rows.length - 1, at))] };
  }
  const selected = selectedOf(ui, rows);
  switch (key.name) {
    case 'q':
      return { ...ui, quit: true };
    case 's':
      return { ...ui, sort: SORTS[(SORTS.indexOf(ui.sort) + 1) % SORTS.length] ?? 'cost' };
    case 'p':
      return { ...ui, paused: !ui.paused };
    case '/':
      return { ...ui, mode: 'filter' };
    case '?':
      return { ...ui, mode: 'help' };
    case 'escape':
      return { ...ui, filter: '' };
    case 'enter':
      return selected === undefined ? ui : { ...ui, selected, mode: 'detail', scroll: 0 };
    case 'l':
      return selected === undefined ? ui : { ...ui, selected, mode: 'logs', scroll: 0 };
    default:
      return ui;
  }
}

function pressedInFilter(ui: Ui, { name, text }: Key): Ui {
  if (name === 'enter') return { ...ui, mode: 'list' };
  if (name === 'escape') return { ...ui, mode: 'list', filter: '' };
  if (name === 'backspace') return { ...ui, filter: Array.from(ui.filter).slice(0, -1).join('') };
  return text === undefined
    ? ui
    : {
        ...ui,
        filter: Array.from(ui.filter + text)
          .slice(0, MAX_FILTER)
          .join(''),
      };
}

function pressedInPage(ui: Ui, key: Key, page: number): Ui {
  const step = keyStep(key, page);
  if (step !== undefined)
    return { ...ui, scroll: Math.max(0, Math.min(MAX_SCROLL, ui.scroll + (ui.mode === 'logs' ? -step : step))) };
  switch (key.name) {
    case 'q':
    case 'escape':
    case 'left':
    case 'enter':
      return { ...ui, mode: 'list', scroll: 0 };
    case 'l':
      return { ...ui, mode: 'logs', scroll: 0 };
    case 'p':
      return { ...ui, paused: !ui.paused };
    default:
      return ui;
  }
}

const MAX_SCROLL = 100_000;

export const KEY_HELP: readonly (readonly [keys: string, meaning: string])[] = [
  ['q', 'quit, or back to the list'],
  ['up down j k', 'select a row; in a detail, scroll'],
  ['page up, page down, space, g, G', 'a page up or down; the first and the last row'],
  ['s', `sort by the next of ${SORTS.join(', ')}`],
  ['/', 'show only what has a text in its name, id or status; escape shows everything'],
  ['enter', 'the detail of the selected row'],
  ['l', 'its log; of an endpoint, the log of a worker'],
  ['p', 'pause: read nothing until p is pressed again'],
  ['?', 'this help'],
];
