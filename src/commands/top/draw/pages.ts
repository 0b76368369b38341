/** The pages of `top` beside its list: a detail, a log and the help. Each gives all its lines; the caller shows a part. */
import { safeText, say, type TerminalText } from '../../../core/safe-text.ts';
import type { Paint } from '../../../output/text/colour.ts';
import { terminalDetail } from '../../../output/tables/terminal-detail.ts';
import type { LiveFacts, OutputOptions, Section } from '../../../output/view.ts';
import { rowWithoutSecrets } from '../../../output/without-secrets.ts';
import { endpointView } from '../../endpoints/fields.ts';
import { healthView } from '../../health.ts';
import { podView } from '../../pods/pod/fields.ts';
import { fit } from './frame.ts';
import type { Row } from '../model/rows.ts';
import { KEY_HELP } from '../model/ui.ts';

/** What `pods get --watch` or `health --watch` shows of a row, and for an endpoint then its settings. */
export function detailLines(
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

export function helpLines(columns: number, paint: Paint): readonly TerminalText[] {
  const lines = KEY_HELP.map(([keys, meaning]) => ({ label: keys, value: meaning }));
  return linesOf([{ title: 'keys', lines }], columns, paint);
}

const linesOf = (sections: readonly Section[], width: number, paint: Paint): readonly TerminalText[] =>
  terminalDetail(sections, { width, paint }).split('\n').slice(0, -1) as TerminalText[];

/** Lines of a log, each cut to the width. */
export const logLines = (log: readonly string[], columns: number, paint: Paint): readonly TerminalText[] =>
  log.map((line) => fit([{ text: safeText(line) }], columns, paint));

/** The part of a page that fits `rows`. A log is seen from its end, and `scroll` counts from there. */
export function pagePart(
  lines: readonly TerminalText[],
  { rows, scroll, fromEnd }: { readonly rows: number; readonly scroll: number; readonly fromEnd: boolean },
): readonly TerminalText[] {
  const limited = Math.max(0, Math.min(scroll, lines.length - rows));
  const first = fromEnd ? Math.max(0, lines.length - rows - limited) : limited;
  const part = lines.slice(first, first + rows);
  return [...part, ...Array.from({ length: Math.max(0, rows - part.length) }, () => say``)];
}
