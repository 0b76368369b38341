import { safeText, say } from '../../core/safe-text.ts';
import type { Gauge, Gauges } from '../view.ts';
import type { Piece } from '../text/colour.ts';
import { blockPieces } from './percent-bar.ts';
import { sparkline } from './sparkline.ts';

/** The width to which numbers are aligned: that of `100%`. */
const NUMBER_COLUMNS = 4;

/** Renders gauges: `████░░░░  42% ▁▂▃▅  memory █████░░░  62% ▅▅▆▆` on a terminal, `42%  memory 62%` elsewhere. */
export const gaugesPieces = ({ gauges }: Gauges, terminal: boolean): readonly Piece[] =>
  gauges.flatMap((gauge, at) => [...(at === 0 ? [] : [{ text: say`  ` }]), ...gaugePieces(gauge, terminal)]);

function gaugePieces({ label, text, percent, history, most, columns }: Gauge, terminal: boolean): readonly Piece[] {
  const name: readonly Piece[] = label === undefined ? [] : [{ text: say`${label} `, tone: 'quiet' }];
  if (!terminal) return [...name, { text: safeText(text) }];
  return [
    ...name,
    ...(percent === undefined || !Number.isFinite(percent) ? [] : [...blockPieces(percent), { text: say` ` }]),
    { text: safeText(text.padStart(NUMBER_COLUMNS)) },
    { text: say` ` },
    { text: sparkline(history, columns, most), tone: 'busy' },
  ];
}
