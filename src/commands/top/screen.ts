/** The pages of `top` beside its list: a detail, a log and the help. Each gives all its lines; the caller shows a part. */

import { endpointView } from '../endpoints/fields.ts';
import { healthView } from '../health.ts';
import { podView } from '../pods/fields.ts';
import {
  agesText,
  drawFrame,
  fit,
  type FrameInput,
  type FrameSize,
  headLines,
  headRoom,
  intervalText,
  rowKey,
} from './frame.ts';
import { type EndpointRow, endpointRows, ordered, type PodRow, podRows, type Row, totalsOf } from './rows.ts';
import type { Shown } from './schedule.ts';
import type { Session } from './session.ts';
import { KEY_HELP, selectedOf, type Ui } from './ui.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { filledLines } from '../../output/tables/table.ts';
import { terminalDetail } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import type { LiveFacts, OutputOptions, Section } from '../../output/view.ts';
import { rowWithoutSecrets } from '../../output/without-secrets.ts';

function detailLines(
  row: Row,
  facts: Omit<LiveFacts, 'samples'>,
  paint: Paint,
  options: OutputOptions,
): readonly TerminalText[] {
  const document = rowWithoutSecrets(row.document, options);
  const live = { ...facts, samples: row.samples };
  const sections =
    row.kind === 'pod'
      ? podView.live?.(document, live)
      : [
          { lines: [{ label: 'name', value: row.name }] },
          ...(row.samples.length === 0 ? [] : (healthView.live?.(row.samples.at(-1)?.row ?? null, live) ?? [])),
          ...(endpointView.detail?.(document, facts) ?? []),
        ];
  return linesOf(sections ?? [], facts.columns, paint);
}

function helpLines(columns: number, paint: Paint): readonly TerminalText[] {
  const lines = KEY_HELP.map(([keys, meaning]) => ({ label: keys, value: meaning }));
  return linesOf([{ title: 'keys', lines }], columns, paint);
}

const linesOf = (sections: readonly Section[], width: number, paint: Paint): readonly TerminalText[] =>
  terminalDetail(filledLines(sections), { width, paint }).split('\n').slice(0, -1) as TerminalText[];

const logLines = (log: readonly string[], columns: number, paint: Paint): readonly TerminalText[] =>
  log.map((line) => fit([{ text: safeText(line) }], columns, paint));

/** In a log, `scroll` counts from the end. */
function pagePart(
  lines: readonly TerminalText[],
  { rows, scroll, fromEnd }: { readonly rows: number; readonly scroll: number; readonly fromEnd: boolean },
): readonly TerminalText[] {
  const limited = Math.max(0, Math.min(scroll, lines.length - rows));
  const first = fromEnd ? Math.max(0, lines.length - rows - limited) : limited;
  const part = lines.slice(first, first + rows);
  return [...part, ...Array.from({ length: Math.max(0, rows - part.length) }, () => say``)];
}

/** The lines of the whole screen of `top`, from what was read and what the user chose. */

export interface ScreenInput {
  readonly session: Session;
  readonly shown: Shown;
  readonly ui: Ui;
  /** Monotonic. */
  readonly now: EpochMs;
  readonly serviceNow: EpochMs;
  readonly log: readonly string[];
  readonly canSelect: boolean;
  readonly output: OutputOptions;
}

interface ScreenRows {
  readonly pods: readonly PodRow[];
  readonly endpoints: readonly EndpointRow[];
  readonly keys: readonly string[];
  find(key: string | undefined): Row | undefined;
}

export function screenRows({ session: { fleet }, shown, ui, now }: ScreenInput): ScreenRows {
  const pods = shown.pods ? ordered(podRows(fleet, now), ui.sort, ui.filter) : [];
  const endpoints = shown.endpoints ? ordered(endpointRows(fleet, now), ui.sort, ui.filter) : [];
  const all: readonly Row[] = [...pods, ...endpoints];
  return { pods, endpoints, keys: all.map(rowKey), find: (key) => all.find((row) => rowKey(row) === key) };
}

export function screenLines(input: ScreenInput, size: FrameSize, paint: Paint): readonly TerminalText[] {
  const { ui, shown, serviceNow, canSelect } = input;
  const rows = screenRows(input);
  const selected = selectedOf(ui, rows.keys);
  const frame: FrameInput = {
    pods: shown.pods ? rows.pods : undefined,
    endpoints: shown.endpoints ? rows.endpoints : undefined,
    totals: totalsOf(input.session.fleet, shown, input.now),
    now: serviceNow,
    ...(selected === undefined || !canSelect ? {} : { selected }),
    status: statusPieces(input, rows),
    footer: footerPieces(input),
  };
  const row = rows.find(selected);
  if (ui.mode === 'list' || ui.mode === 'filter' || size.rows === undefined) return drawFrame(frame, size, paint);
  const facts = { now: serviceNow, columns: size.columns };
  const lines =
    ui.mode === 'help'
      ? helpLines(size.columns, paint)
      : row === undefined
        ? [say`it is not there any more`]
        : ui.mode === 'detail'
          ? detailLines(row, facts, paint, input.output)
          : logLines(input.log, size.columns, paint);
  const head = headLines(frame, headRoom(size, 1, lines.length), paint);
  const rowsOfPage = size.rows - head.length - 2;
  const part = pagePart(lines, { rows: rowsOfPage, scroll: ui.scroll, fromEnd: ui.mode === 'logs' });
  return [...head, say``, ...part, fit(footerPieces(input), size.columns, paint)];
}

function statusPieces({ session, ui, now }: ScreenInput, { endpoints }: ScreenRows): readonly Piece[] {
  const { fleet, failures, intervalMs, isPaced } = session;
  const age = (at: number | undefined): number | undefined => (at === undefined ? undefined : now - at);
  const ages = agesText([
    ['pods', [age(fleet.pods?.at)]],
    ['jobs', endpoints.map(({ readMs }) => readMs)],
    ['cost', fleet.spent?.value === undefined ? [] : [age(fleet.spent.at)]],
  ]);
  const words = [`every ${intervalText(intervalMs)}${isPaced ? ' (rate limit)' : ''}`, `age: ${ages}`, `by ${ui.sort}`];
  const filter = ui.mode === 'filter' ? `/${ui.filter}_` : ui.filter === '' ? '' : `/${ui.filter}`;
  const [failed, ...others] = failures;
  return [
    ...(ui.paused ? [{ text: say`PAUSED  `, tone: 'warn' as const }] : []),
    ...(filter === '' ? [] : [{ text: say`${filter}  `, tone: 'strong' as const }]),
    ...(failed === undefined
      ? []
      : [
          {
            text: say`${failed.what}: ${failed.failure.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}  `,
            tone: 'bad' as const,
          },
        ]),
    { text: safeText(words.join(', ')), tone: 'quiet' },
  ];
}

const FOOTERS: Readonly<Record<Ui['mode'], string>> = {
  list: 'q quit  s sort  / find  enter open  l log  p pause  ? help',
  filter: 'type a text  enter keep it  escape show everything',
  detail: 'q back  arrows scroll  l log  p pause',
  logs: 'q back  arrows scroll  p pause',
  help: 'any key goes back',
};

const footerPieces = ({ ui, canSelect }: ScreenInput): readonly Piece[] => [
  { text: safeText(canSelect ? FOOTERS[ui.mode] : 'Ctrl-C quits'), tone: 'quiet' },
];
