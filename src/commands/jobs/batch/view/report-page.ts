import { encodeJson, arrayOf, memberAt, numberOf, stringOf, type Json } from '../../../../core/json.ts';
import { formatDollarRange, formatDuration } from '../../../../core/units.ts';
import { barChart } from '../../../../output/charts/bar-chart.ts';
import { html, jsonBlock, trustedHtml, type Html } from '../../../../output/charts/html.ts';
import { text } from '../../../../output/cells/cell-functions.ts';
import { binsOf, boundsOf, failuresOf, formatRate, formatTime } from './report-members.ts';
import { PAGE_STYLE } from './report-page-style.ts';

/**
 * Returns the report of a batch as one HTML page without script: it refers to no other file, follows the light or dark
 * appearance of the reader, and has the document of `--json` in the element `report`.
 */
export async function reportPage(report: Json): Promise<string> {
  const name = text('batch')(report);
  // Nothing may be loaded or run, whatever an error text holds.
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Batch report: ${name}</title>
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
          ${timesSection(report, 'executionMs', 'Execution time', 'How long workers ran the jobs.')}
          ${timesSection(report, 'delayMs', 'Delay before the start', 'How long jobs waited for a worker.')}
          ${failuresSection(report)}
          <footer>
            Quantiles are within ${String((numberOf(memberAt(report, 'quantileError')) ?? 0) * 100)}% of the exact
            value. Times are UTC.
          </footer>
        </main>
        ${jsonBlock('report', encodeJson(report))}
      </body>
    </html> `.html;
}

/** `endpoint echo, from items.jsonl, begun 2026-01-01 00:00:00 UTC: ended`. */
function aboutLine(report: Json): string {
  const begun = text('begun')(report).replace('T', ' ').replace(/\..*$/, '');
  return `Endpoint ${text('endpoint')(report)}, input ${text('input')(report)}, begun ${begun} UTC, ${text('state')(report)}.`;
}

function tiles(report: Json): readonly Html[] {
  const number = (path: string): number | undefined => numberOf(memberAt(report, path));
  const [low, high] = [number('executionCostUsd.low'), number('executionCostUsd.high')];
  const [wall, rate] = [number('wallSeconds'), number('itemsPerSecond')];
  const [p50, p95, p99] = [number('executionMs.p50'), number('executionMs.p95'), number('executionMs.p99')];
  const share = ((number('completed') ?? 0) / Math.max(1, number('planned') ?? 0)) * 100;
  // A share that is not all must not be shown as 100%.
  const percent = share < 100 && share > 99.9 ? '99.9' : share.toFixed(share === 100 || share === 0 ? 0 : 1);
  return [
    tile(
      'Completed',
      `${percent}%`,
      `${grouped(number('completed') ?? 0)} of ${grouped(number('planned') ?? 0)} items`,
    ),
    ...(wall === undefined
      ? []
      : [tile('Wall time', formatDuration(wall * 1000), 'from the begin to the last result')]),
    ...(rate === undefined ? [] : [tile('Throughput', formatRate(rate), 'items that ended')]),
    ...(low === undefined || high === undefined
      ? []
      : [tile('Execution cost', formatDollarRange({ low, high }), 'without idle and starting workers')]),
    ...(p50 === undefined || p95 === undefined || p99 === undefined
      ? []
      : [tile('Execution p50', formatTime(p50), `p95 ${formatTime(p95)}, p99 ${formatTime(p99)}`)]),
  ];
}

const tile = (label: string, value: string, note: string): Html =>
  html`<div class="tile">
    <h2>${label}</h2>
    <p class="value">${value}</p>
    <p class="note">${note}</p>
  </div>`;

const grouped = (value: number): string => value.toLocaleString('en-US');

/** The outcomes in the order of the bar, and the class that gives each its colour. */
const OUTCOMES = [
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['timedOut', 'timed out'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown', 'unknown'],
  ['inFlight', 'in flight'],
  ['waiting', 'waiting'],
] as const;

function outcomeSection(report: Json): Html {
  const outcomes = OUTCOMES.map(([member, label]) => ({
    member,
    label,
    count: numberOf(memberAt(report, member)) ?? 0,
  })).filter(({ count }) => count > 0);
  const again = (['resubmitted', 'retried'] as const).flatMap((member) => {
    const count = numberOf(memberAt(report, member)) ?? 0;
    return count === 0 ? [] : [`${grouped(count)} ${member === 'retried' ? 'run again' : 'sent again as new jobs'}`];
  });
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

function timelineSection(report: Json): Html {
  const buckets = arrayOf(memberAt(report, 'timeline.buckets')) ?? [];
  const seconds = numberOf(memberAt(report, 'timeline.bucketSeconds')) ?? 0;
  if (buckets.length < 2) return html``;
  const values = (member: string): readonly number[] =>
    buckets.map((bucket) => numberOf(memberAt(bucket, member)) ?? 0);
  const svg = barChart({
    ...CHART,
    labels: buckets.map((bucket) => timeLabel(stringOf(memberAt(bucket, 'at')) ?? '', seconds)),
    series: [
      { values: values('completed'), colour: 'var(--completed)' },
      { values: values('notCompleted'), colour: 'var(--failed)' },
    ],
  });
  return html`<section>
    <h2>Results over time</h2>
    <p class="note">
      Items that ended, in steps of ${formatDuration(seconds * 1000)}: <i class="completed"></i> completed,
      <i class="failed"></i> not.
    </p>
    ${figure(svg)}
  </section>`;
}

/** `14:03:20`, without seconds where a step has whole minutes, and the date where it has whole days. */
const timeLabel = (at: string, seconds: number): string =>
  seconds >= 86_400
    ? at.slice(5, 10)
    : seconds >= 3600
      ? at.slice(5, 16).replace('T', ' ')
      : at.slice(11, seconds >= 60 ? 16 : 19);

function timesSection(report: Json, path: string, title: string, about: string): Html {
  const bins = binsOf(report, path);
  const [p95, p99] = [numberOf(memberAt(report, `${path}.p95`)), numberOf(memberAt(report, `${path}.p99`))];
  if (bins.length === 0 || p95 === undefined || p99 === undefined) return html``;
  const svg = barChart({
    ...CHART,
    labels: boundsOf(bins).slice(0, -1),
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
      ${names.map((name) => {
        const value = numberOf(memberAt(report, `${path}.${name}`)) ?? 0;
        return html`<div>
          <dt>${name}</dt>
          <dd>${formatTime(value)}</dd>
        </div>`;
      })}
    </dl>
  </section>`;
}

const figure = (svg: string): Html => html`<figure>${trustedHtml(svg)}</figure>`;

function failuresSection(report: Json): Html {
  const groups = failuresOf(report);
  if (groups.length === 0) return html``;
  const others = numberOf(memberAt(report, 'otherFailures')) ?? 0;
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
                    ${examples.map((example) => html`<li>${example}</li>`)}
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
