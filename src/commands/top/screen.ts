/** The whole screen of top: its list, or a page beside it (a detail, a log, the help). */
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { filledLines } from '../../output/tables/table.ts';
import { terminalDetail } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import type { LiveFacts, OutputOptions, Section } from '../../output/view.ts';
import { rowWithoutSecrets } from '../../output/without-secrets.ts';
import { endpointView } from '../endpoints/fields.ts';
import { healthView } from '../health.ts';
import { podView } from '../pods/fields.ts';
import type { Fleet } from './fleet.ts';
import { fit, frameLines, type FrameSize, headLines, secondsText } from './frame.ts';
import { type Row, rowKey, rowsOf } from './rows.ts';
import { KEY_HELP, selectedOf, type Ui } from './ui.ts';

export interface ScreenInput {
  readonly fleet: Fleet;
  readonly ui: Ui;
  /** Monotonic. */
  readonly now: Milliseconds;
  readonly serviceNow: EpochMs;
  readonly log: readonly string[];
  readonly canSelect: boolean;
  readonly output: OutputOptions;
}

/** The rows as they are listed, with their keys. */
export function listed({ fleet, ui, now }: Pick<ScreenInput, 'fleet' | 'ui' | 'now'>) {
  const all = rowsOf(fleet, ui.sort, ui.filter, now);
  const rows: readonly Row[] = [...(all.pods ?? []), ...(all.endpoints ?? [])];
  return { ...all, rows, keys: rows.map(rowKey) };
}

export async function screenLines(input: ScreenInput, size: FrameSize, paint: Paint): Promise<readonly TerminalText[]> {
  const { ui, serviceNow, canSelect } = input;
  const all = listed(input);
  const selected = selectedOf(ui, all.keys);
  const footer: readonly Piece[] = [{ text: safeText(canSelect ? FOOTERS[ui.mode] : 'Ctrl-C quits'), tone: 'quiet' }];
  const frame = { ...all, status: statusPieces(input), now: serviceNow, footer };
  if (ui.mode === 'list' || ui.mode === 'filter' || size.rows === undefined)
    return await frameLines({ ...frame, selected: canSelect ? selected : undefined }, size, paint);
  const row = all.rows.find((each) => rowKey(each) === selected);
  const lines = pageLines(input, row, size.columns, paint);
  const head = headLines(frame, size, paint);
  // A log is shown from its end.
  const rows = size.rows - head.length - 2;
  const scroll = Math.max(0, Math.min(ui.scroll, lines.length - rows));
  const first = ui.mode === 'logs' ? Math.max(0, lines.length - rows - scroll) : scroll;
  const part = lines.slice(first, first + rows);
  const blank = Array.from({ length: Math.max(0, rows - part.length) }, () => say``);
  return [...head, say``, ...part, ...blank, fit(footer, size.columns, paint)];
}

function pageLines(
  { ui, log, output, serviceNow }: ScreenInput,
  row: Row | undefined,
  columns: number,
  paint: Paint,
): readonly TerminalText[] {
  const detail = (sections: readonly Section[]): readonly TerminalText[] =>
    terminalDetail(filledLines(sections), { width: columns, paint }).split('\n').slice(0, -1) as TerminalText[];
  if (ui.mode === 'help')
    return detail([{ title: 'keys', lines: KEY_HELP.map(([label, value]) => ({ label, value })) }]);
  if (row === undefined) return [say`it is gone`];
  return ui.mode === 'logs'
    ? log.map((line) => fit([{ text: safeText(line) }], columns, paint))
    : detail(detailOf(row, { now: serviceNow, columns, samples: row.samples }, output));
}

function detailOf(row: Row, facts: LiveFacts, options: OutputOptions): readonly Section[] {
  const document = rowWithoutSecrets(row.document, options);
  if (row.kind === 'pod') return podView.live?.(document, facts) ?? [];
  return [
    { lines: [{ label: 'name', value: row.name }] },
    ...(row.samples.length === 0 ? [] : (healthView.live?.(row.samples.at(-1)?.row ?? null, facts) ?? [])),
    ...(endpointView.detail?.(document, facts) ?? []),
  ];
}

function statusPieces({ fleet, ui, now }: ScreenInput): readonly Piece[] {
  const [failed, ...others] = fleet.failures;
  const healthAt = [...fleet.health.values()].map((samples) => samples.at(-1)?.at);
  const ages = [
    ['pods', fleet.pods?.at],
    ['jobs', healthAt.length === 0 ? undefined : Math.min(...healthAt.map((at) => at ?? now))],
    ['cost', fleet.spent?.value === undefined ? undefined : fleet.spent.at],
  ] as const;
  const known = ages.flatMap(([what, at]) => (at === undefined ? [] : [`${what} ${secondsText(now - at)}`]));
  const interval = `${Math.round(fleet.intervalMs / 100) / 10}s${fleet.isPaced ? ' (rate limit)' : ''}`;
  const filter = ui.mode === 'filter' ? `/${ui.filter}_  ` : ui.filter === '' ? '' : `/${ui.filter}  `;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [
    { text: safeText(ui.paused ? 'PAUSED  ' : ''), tone: 'warn' },
    { text: safeText(filter), tone: 'strong' },
    { text: safeText(failed === undefined ? '' : `${failed.what}: ${failed.failure.message}${more}  `), tone: 'bad' },
    { text: safeText(`every ${interval}, age: ${known.join(', ')}, by ${ui.sort}`), tone: 'quiet' },
  ];
}

const FOOTERS: Readonly<Record<Ui['mode'], string>> = {
  list: 'q quit  s sort  / find  enter open  l log  p pause  ? help',
  filter: 'type a text  enter keep it  escape show everything',
  detail: 'q back  arrows scroll  l log  p pause',
  logs: 'q back  arrows scroll  p pause',
  help: 'any key goes back',
};
