/** The lines of the whole screen of `top`, from what was read and what the user chose. */
import { safeText, say, type TerminalText } from '../../../core/safe-text.ts';
import type { Paint, Piece } from '../../../output/text/colour.ts';
import type { OutputOptions } from '../../../output/view.ts';
import { agesText, drawFrame, fit, headRoom, intervalText, rowKey, type FrameInput, type FrameSize } from './frame.ts';
import { headLines } from './head.ts';
import { ordered } from '../model/order.ts';
import { detailLines, helpLines, logLines, pagePart } from './pages.ts';
import { endpointRows, podRows, totalsOf, type EndpointRow, type PodRow, type Row } from '../model/rows.ts';
import type { Shown } from '../model/schedule.ts';
import type { Session } from '../read/session.ts';
import { selectedOf, type Ui } from '../model/ui.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export interface ScreenInput {
  readonly session: Session;
  readonly shown: Shown;
  readonly ui: Ui;
  /** Monotonic milliseconds. */
  readonly now: EpochMs;
  /** The service's time. */
  readonly serviceNow: EpochMs;
  /** The lines of the open log. */
  readonly log: readonly string[];
  /** Whether the user can press keys. */
  readonly canSelect: boolean;
  readonly output: OutputOptions;
}

/** The rows in the order shown. */
export interface ScreenRows {
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

/** The lines of the screen: the list, or the page that is open. */
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

/** How often and how long ago numbers were read, the order, the filter, and what could not be read. */
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
