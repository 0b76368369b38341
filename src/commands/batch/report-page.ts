import { type BatchAnalysis, type DistributionSummary, QUANTILE_ERROR } from '../../batch/index.ts';
import { binLabels, exampleLine, formatTime, PAGE_BEGINNING, quantilesOf } from './report-document.ts';
import { formatRate, OUTCOMES } from './summary-view.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatDollarRange, formatDuration } from '../../core/units.ts';

interface Html {
  readonly html: string;
}

/** Of one part or several: `[class, count]`. */
interface Bar {
  readonly label: string | Html;
  readonly parts: readonly (readonly [tone: string, count: number])[];
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes all but Html; characters that mislead a reader become visible. */
function markup(literals: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const textOf = (value: string | Html | readonly Html[]): string => {
    if (typeof value === 'string') return safeText(value, true).replace(/[&<>"]/g, (each) => ESCAPES[each] ?? '');
    return 'html' in value ? value.html : value.map((each) => each.html).join('');
  };
  return {
    html: literals.map((literal, at) => literal + (at < values.length ? textOf(values[at] ?? '') : '')).join(''),
  };
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #1b2130; --quiet: #667085; --good: #2fa36b; --bad: #d9485f; --busy: #3f7fe0 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1218; --text: #e7ebf2; --quiet: #94a0b3; --good: #3fc285; --bad: #f0677c; --busy: #6ba2f5 }
}
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h2 { margin: 2rem 0 0; font-size: 1.1rem }
p, small, ul { margin-top: 0; color: var(--quiet) }
table { width: 100%; border-collapse: collapse }
th { width: 40%; font-weight: normal; text-align: left }
td { width: 7rem; text-align: right; vertical-align: top; font-variant-numeric: tabular-nums }
td + td, td[colspan] { width: auto; padding-left: 1rem; text-align: left }
i { display: inline-block; height: .7em; background: var(--busy) }
.completed { background: var(--good) }
.failed, .timedOut, .cancelled, .expired, .unknown { background: var(--bad) }
.waiting { background: var(--quiet) }
`;

/** The page runs and loads nothing, whatever an error text contains. */
export function reportPage(report: BatchAnalysis): string {
  const { counts, wallMs, perSecond, cost, failures, resubmitted } = report;
  const facts = {
    completed: `${grouped(counts.completed)} of ${grouped(counts.planned)} items`,
    'to the last result': wallMs && formatDuration(wallMs),
    throughput: perSecond && formatRate(perSecond),
    'execution cost': cost && `${formatDollarRange(cost)}, without idle and starting workers`,
    'sent again as new jobs': resubmitted && grouped(resubmitted),
  };
  const states = OUTCOMES.flatMap(([member, label]) =>
    counts[member] === 0 ? [] : [bar(label, [member, counts[member]])],
  );
  const groups = failures.groups.map(({ pattern, state, count, examples }) => {
    const ended = OUTCOMES.find(([member]) => member === state)?.[1] ?? state;
    const lines = examples.map((example) => markup`<li>${exampleLine(example)}</li>`);
    const summary = markup`<summary><code>${pattern}</code> <small>${ended}</small></summary>`;
    return bar(markup`<details>${summary}<ul>${lines}</ul></details>`, ['failed', count]);
  });
  const others = failures.others === 0 ? '' : ` ${grouped(failures.others)} items have other errors.`;
  return markup`${{ html: PAGE_BEGINNING }}<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>Batch report: ${report.name}</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
<h1>${report.name}</h1>
<p>Endpoint ${report.endpoint}, input ${report.input}, begun ${utc(report.begunAt)}, ${report.state}.</p>
<table>${Object.entries(facts).map(([label, value]) =>
    typeof value === 'string' ? markup`<tr><th>${label}</th><td colspan="2">${value}</td></tr>\n` : markup``,
  )}</table>
${section('Items', '', states)}
${timesSection('Execution time', report.execution)}
${timesSection('Delay before the start', report.delay)}
${section('Failures by pattern', `Numbers, ids, paths and addresses are masked.${others}`, groups)}
<p>Quantiles are within ${String(QUANTILE_ERROR * 100)}% of the exact value. Times are UTC.</p>
</html>
`.html;
}

const grouped = (value: number): string => value.toLocaleString('en-US');
const utc = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

const timesSection = (title: string, times: DistributionSummary | undefined): Html =>
  section(
    title,
    times === undefined ? '' : `mean ${formatTime(times.mean)}, ${quantilesOf(times)}`,
    times && binLabels(times).map((label, at) => bar(label, ['', times.bins[at]?.count ?? 0])),
  );

const bar = (label: Bar['label'], ...parts: Bar['parts']): Bar => ({ label, parts });

function section(title: string, note: string, bars: readonly Bar[] = []): Html {
  const total = ({ parts }: Bar): number => parts.reduce((sum, [, count]) => sum + count, 0);
  const most = Math.max(1, ...bars.map(total));
  const drawn = ([tone, count]: Bar['parts'][number]): Html =>
    markup`<i class="${tone}" style="width:${((count / most) * 100).toFixed(1)}%"></i>`;
  const row = (each: Bar): Html =>
    markup`<tr><th>${each.label}</th><td>${grouped(total(each))}</td><td>${each.parts.map(drawn)}</td></tr>\n`;
  return bars.length === 0 ? markup`` : markup`<h2>${title}</h2>\n<p>${note}</p>\n<table>${bars.map(row)}</table>`;
}
