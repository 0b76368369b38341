import { DAY_SECONDS, HOUR_SECONDS } from '../../../../core/durations.ts';
import { QUANTILE_ERROR, type BatchAnalysis, type DistributionSummary } from '../../../../batch/index.ts';
import { encodeJson } from '../../../../core/json.ts';
import { safeText } from '../../../../core/safe-text.ts';
import { formatDollarRange, formatDuration } from '../../../../core/units.ts';
import { barChart } from '../../../../output/charts/bar-chart.ts';
import { html, jsonBlock, trustedHtml, type Html } from '../../../../output/charts/html.ts';
import { PAGE_TITLE, reportDocument, stateOfReport, boundsOf, exampleLine, formatTime } from './report-document.ts';
import { formatRate, OUTCOMES } from './summary-view.ts';
import { PAGE_STYLE } from './report-page-style.ts';

/**
 * Returns the report of a batch as one HTML page without script: it refers to no other file, follows the light or dark
 * appearance of the reader, and has the document of `--json` in the element `report`.
 */
export async function reportPage(report: BatchAnalysis): Promise<string> {
  const name = safeText(report.name);
  // Nothing may be loaded or run, whatever an error text holds.
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${PAGE_TITLE}${name}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trustedHtml(PAGE_STYLE)}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="kind">Batch report</p>
            <h1>${name}</h1>
            <p class="about">${aboutLine(report)}</p>
          </header>
          <section class="tiles">${tiles(report)}</section>
          ${outcomeSection(report)} ${timelineSection(report)}
          ${timesSection(report.execution, 'Execution time', 'How long workers ran the jobs.')}
          ${timesSection(report.delay, 'Delay before the start', 'How long jobs waited for a worker.')}
          ${failuresSection(report)}
          <footer>Quantiles are within ${QUANTILE_ERROR * 100}% of the exact value. Times are UTC.</footer>
        </main>
        ${jsonBlock('report', encodeJson(reportDocument(report)))}
      </body>
    </html> `.html;
}

/** `endpoint echo, from items.jsonl, begun 2026-01-01 00:00:00 UTC: ended`. */
function aboutLine(report: BatchAnalysis): string {
  const begun = new Date(report.begunAt).toISOString().replace('T', ' ').replace(/\..*$/, '');
  return `Endpoint ${safeText(report.endpoint)}, input ${safeText(report.input)}, begun ${begun} UTC, ${stateOfReport(report)}.`;
}

function tiles({ counts, cost, wallMs, perSecond, execution }: BatchAnalysis): readonly Html[] {
  const { completed, planned } = counts;
  const share = (completed / Math.max(1, planned)) * 100;
  // A share that is not all must not be shown as 100%.
  const percent = share < 100 && share > 99.9 ? '99.9' : share.toFixed(share === 100 || share === 0 ? 0 : 1);
  const tails = execution === undefined ? '' : `p95 ${formatTime(execution.p95)}, p99 ${formatTime(execution.p99)}`;
  return [
    tile('Completed', `${percent}%`, `${grouped(completed)} of ${grouped(planned)} items`),
    ...(wallMs === undefined ? [] : [tile('Wall time', formatDuration(wallMs), 'from the begin to the last result')]),
    ...(perSecond === undefined ? [] : [tile('Throughput', formatRate(perSecond), 'items that ended')]),
    ...(cost === undefined
      ? []
      : [tile('Execution cost', formatDollarRange(cost), 'without idle and starting workers')]),
    ...(execution === undefined ? [] : [tile('Execution p50', formatTime(execution.p50), tails)]),
  ];
}

const tile = (label: string, value: string, note: string): Html =>
  html`<div class="tile">
    <h2>${label}</h2>
    <p class="value">${value}</p>
    <p class="note">${note}</p>
  </div>`;

const grouped = (value: number): string => value.toLocaleString('en-US');

function outcomeSection({ counts, resubmitted, retried }: BatchAnalysis): Html {
  const outcomes = OUTCOMES.map(([member, label]) => ({ member, label, count: counts[member] })).filter(
    ({ count }) => count > 0,
  );
  const again = [
    ...(resubmitted === 0 ? [] : [`${grouped(resubmitted)} sent again as new jobs`]),
    ...(retried === 0 ? [] : [`${grouped(retried)} run again`]),
  ];
  return html`<section>
    <h2>Items</h2>
    <div class="bar">
      ${outcomes.map(
        ({ member, label, count }) =>
          html`<span class="${member}" style="flex-grow:${count}" title="${label}: ${grouped(count)}"></span>`,
      )}
    </div>
    <ul class="legend">
      ${outcomes.map(
        ({ member, label, count }) =>
          html`<li><i class="${member}"></i>${label} <b data-count="${member}">${grouped(count)}</b></li>`,
      )}
    </ul>
    ${again.length === 0 ? html`` : html`<p class="note">${again.join(', ')}.</p>`}
  </section>`;
}

const CHART = { width: 920, height: 240, textColour: 'var(--quiet)', lineColour: 'var(--line)' } as const;

function timelineSection({ timeline }: BatchAnalysis): Html {
  const { bucketMs, buckets } = timeline ?? { bucketMs: 0, buckets: [] };
  if (buckets.length < 2) return html``;
  const svg = barChart({
    ...CHART,
    labels: buckets.map(({ at }) => timeLabel(new Date(at).toISOString(), bucketMs / 1000)),
    series: [
      { values: buckets.map(({ completed }) => completed), colour: 'var(--completed)' },
      { values: buckets.map(({ notCompleted }) => notCompleted), colour: 'var(--failed)' },
    ],
  });
  return html`<section>
    <h2>Results over time</h2>
    <p class="note">
      Items that ended, in steps of ${formatDuration(bucketMs)}: <i class="completed"></i> completed,
      <i class="failed"></i> not.
    </p>
    ${figure(svg)}
  </section>`;
}

/** `14:03:20`, without seconds where a step has whole minutes, and the date where it has whole days. */
const timeLabel = (at: string, seconds: number): string =>
  seconds >= DAY_SECONDS
    ? at.slice(5, 10)
    : seconds >= HOUR_SECONDS
      ? at.slice(5, 16).replace('T', ' ')
      : at.slice(11, seconds >= 60 ? 16 : 19);

function timesSection(times: DistributionSummary | undefined, title: string, about: string): Html {
  if (times === undefined) return html``;
  const { bins, p95, p99 } = times;
  const svg = barChart({
    ...CHART,
    labels: boundsOf(times).slice(0, -1),
    series: [
      {
        values: bins.map(({ count }) => count),
        colour: bins.map(({ from }) =>
          from >= p99 ? 'var(--failed)' : from >= p95 ? 'var(--unknown)' : 'var(--busy)',
        ),
      },
    ],
  });
  const names = ['mean', 'p50', 'p95', 'p99', 'max'] as const;
  return html`<section>
    <h2>${title}</h2>
    <p class="note">
      ${about} A bar begins at the time below it; from p95 on it is <i class="unknown"></i>, from p99 on
      <i class="failed"></i>.
    </p>
    ${figure(svg)}
    <dl class="times">
      ${names.map(
        (name) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${formatTime(times[name])}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

const figure = (svg: string): Html => html`<figure>${trustedHtml(svg)}</figure>`;

function failuresSection({ failures: { groups, others } }: BatchAnalysis): Html {
  if (groups.length === 0) return html``;
  const most = Math.max(...groups.map(({ count }) => count));
  return html`<section>
    <h2>Failures by pattern</h2>
    <p class="note">Numbers, ids, paths and addresses are masked.</p>
    <table>
      <thead>
        <tr>
          <th class="count">Items</th>
          <th class="share"></th>
          <th>Error</th>
        </tr>
      </thead>
      <tbody>
        ${groups.map(
          ({ pattern, state, count, examples }) =>
            html`<tr>
              <td class="count">${grouped(count)}</td>
              <td class="share"><span style="width:${Math.max(1, (count / most) * 100).toFixed(1)}%"></span></td>
              <td>
                <details>
                  <summary><code>${pattern}</code> <small>${stateName(state)}</small></summary>
                  <ul>
                    ${examples.map((example) => html`<li>${exampleLine(example)}</li>`)}
                  </ul>
                </details>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${others === 0 ? html`` : html`<p class="note">${grouped(others)} items have other errors.</p>`}
  </section>`;
}

const stateName = (state: string): string => OUTCOMES.find(([member]) => member === state)?.[1] ?? state;
