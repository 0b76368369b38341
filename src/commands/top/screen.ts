/** The whole screen of top: its list, the detail of a row, or the help. */
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { filledLines } from '../../output/tables/table.ts';
import { terminalDetail } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import type { OutputOptions, Section } from '../../output/view.ts';
import { rowWithoutSecrets } from '../../output/without-secrets.ts';
import { endpointView } from '../endpoints/fields.ts';
import { healthView } from '../health.ts';
import { podView } from '../pods/fields.ts';
import type { Fleet } from './fleet.ts';
import { filled, fit, frameLines, headLines } from './frame.ts';
import { listed, type Row, rowsOf } from './rows.ts';
import { KEY_HELP, selectedOf, type Ui } from './ui.ts';

export interface ScreenInput {
  readonly fleet: Fleet;
  readonly ui: Ui;
  /** Monotonic. */
  readonly now: Milliseconds;
  readonly serviceNow: EpochMs;
  readonly canSelect: boolean;
  readonly output: OutputOptions;
}

const FOOTERS: Readonly<Record<Ui['mode'], string>> = {
  list: 'q quit  s sort  / find  enter open  p pause  ? help',
  filter: 'type a text  enter keep it  escape show everything',
  detail: 'q back  arrows scroll  p pause',
  help: 'any key goes back',
};

export async function screenLines(
  input: ScreenInput,
  size: { readonly columns: number; readonly rows: number },
  paint: Paint,
): Promise<readonly TerminalText[]> {
  const { fleet, ui, canSelect, serviceNow: now } = input;
  const { columns, rows } = size;
  const every = rowsOf(fleet, input.now);
  const shown = listed(every, ui.sort, ui.filter);
  const all = [...(shown.pods ?? []), ...(shown.endpoints ?? [])];
  const keys = all.map(({ key }) => key);
  const selected = canSelect ? selectedOf(ui, keys) : undefined;
  const head = headLines(fleet, every, statusPieces(input), columns, paint);
  const hint = canSelect ? FOOTERS[ui.mode] : 'Ctrl-C quits';
  const footer = fit([{ text: safeText(hint), tone: 'quiet' }], columns, paint);
  if (ui.mode === 'list' || ui.mode === 'filter')
    return await frameLines({ ...shown, head, footer, selected, now }, size, paint);
  const row = all.find(({ key }) => key === selected);
  const lines = terminalDetail(filledLines(sectionsOf(input, row)), { width: columns, paint });
  const page =
    ui.mode === 'detail' && row === undefined ? [say`it is gone`] : (lines.split('\n').slice(0, -1) as TerminalText[]);
  const room = rows - head.length - 2;
  const first = Math.max(0, Math.min(ui.scroll, page.length - room));
  return [...filled([...head, say``, ...page.slice(first, first + room)], rows - 1), footer];
}

function sectionsOf({ ui, output, serviceNow }: ScreenInput, row: Row | undefined): readonly Section[] {
  if (ui.mode === 'help') return [{ title: 'keys', lines: KEY_HELP.map(([label, value]) => ({ label, value })) }];
  if (row === undefined) return [];
  const { samples } = row;
  const facts = { now: serviceNow };
  const document = rowWithoutSecrets(row.document, output);
  if (row.data['kind'] === 'pod') return podView.detail?.(document, facts) ?? [];
  const health = samples.at(-1)?.row;
  return [
    ...(health === undefined ? [] : (healthView.detail?.(health, facts) ?? [])),
    ...(endpointView.detail?.(document, facts) ?? []),
  ];
}

function statusPieces({ fleet, ui, now }: ScreenInput): readonly Piece[] {
  const [failed, ...others] = fleet.failures;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const interval = `${Math.round(fleet.intervalMs / 100) / 10}s${fleet.isPaced ? ' (rate limit)' : ''}`;
  const filter = ui.mode === 'filter' ? `/${ui.filter}_  ` : ui.filter === '' ? '' : `/${ui.filter}  `;
  const ago =
    fleet.readAt === undefined ? '' : `, read ${formatDuration(Math.round((now - fleet.readAt) / 1000) * 1000)} ago`;
  return [
    { text: safeText(ui.paused ? 'PAUSED  ' : ''), tone: 'warn' },
    { text: safeText(filter), tone: 'strong' },
    { text: safeText(failed === undefined ? '' : `${failed.what}: ${failed.failure.message}${more}  `), tone: 'bad' },
    { text: safeText(`every ${interval}${ago}, by ${ui.sort}`), tone: 'quiet' },
  ];
}
