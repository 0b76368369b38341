/**
 * Writes the tables of docs/scale.md from the measured figures in docs/scale-figures.json, which `npm run bench -- stores` writes when
 * BENCH_FIGURES names that file. `--check` only compares and exits with 1 when the page is not up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = path.join(root, 'docs/scale.md');
const figures = JSON.parse(readFileSync(path.join(root, 'docs/scale-figures.json'), 'utf8'));

const SIZES = [1e6, 1e7, 1e8, 1e9];
const NAMES = ['1M', '10M', '100M', '1B'];
const SECONDS_PER_DAY = 86_400;
/** The known limit of submissions per endpoint and user, and what berth uses of it. */
const KNOWN_LIMIT = 100;
const DEFAULT_RATE = 99;
const ITEMS_PER_SHARD = 10_000;
/** Assumptions of the page, which it names. */
const BYTES = { input: 1000, result: 1000 };
const SECONDS_OF_WORK = 1;
const DOLLARS_PER_WORKER_HOUR = 0.5;
const DOLLARS_PER_GB_MONTH = 0.02;
const DOLLARS_PER_MILLION_WRITES = 5;

const round = (value, digits = 2) => Number(value.toPrecision(digits));
const grouped = (value) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
const timeOf = (seconds) =>
  seconds < 7200
    ? `${grouped(round(seconds / 60))} min`
    : seconds < 2 * SECONDS_PER_DAY
      ? `${grouped(round(seconds / 3600))} h`
      : `${grouped(round(seconds / SECONDS_PER_DAY))} days`;
const bytesOf = (bytes) => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${grouped(round(value))} ${units[unit]}`;
};
const dollars = (value) => `$${value < 10 ? value.toFixed(value < 0.1 ? 3 : 2) : grouped(Math.round(value))}`;
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const bySize = (label, of) => [label, ...SIZES.map(of)];
const sizeHead = (first) => [first, ...NAMES];

const { stores, postgres, memory } = figures;
const [, ...books] = stores;
const fastest = Math.max(...books.map(({ perSecond }) => perSecond));
const rates = [
  [`${DEFAULT_RATE} a second: the known limit of one endpoint`, DEFAULT_RATE],
  ['1,000 a second: ten endpoints, or a higher limit', 1000],
  [`${grouped(Math.round(fastest))} a second: the most that was measured here`, fastest],
];

/** The parts of the page, by the names of their markers. */
const PARTS = {
  measured: () =>
    [
      table(
        ['books', 'submissions a second', 'of the bare server'],
        stores.map(({ name, perSecond, ratio }) => [name, grouped(Math.round(perSecond)), ratio.toFixed(2)]),
      ),
      '',
      table(
        ['what', 'measured'],
        [
          ['statements of SQL per item', postgres.statementsPerItem.toFixed(3)],
          ['bytes of write-ahead log per item', grouped(Math.round(postgres.logBytesPerItem))],
          ['size of all tables, largest during the batch', bytesOf(postgres.largestBytes)],
          ['size of all tables after the batch', bytesOf(postgres.bytesAfter)],
          ['items of that batch', grouped(postgres.items)],
          ['memory of one driver, largest', `${Math.round(memory.driverMebibytes)} MiB`],
        ],
      ),
      '',
      `Measured on ${figures.machine}, ${figures.date}.`,
    ].join('\n'),
  time: () =>
    table(
      sizeHead('items'),
      rates.map(([label, rate]) => bySize(label, (items) => timeOf(items / rate))),
    ),
  rows: () =>
    table(sizeHead('items'), [
      bySize('shards, a row each, which stay', (items) => grouped(items / ITEMS_PER_SHARD)),
      bySize('parts, at least, a row each, which stay', (items) => grouped(items / ITEMS_PER_SHARD)),
      bySize('size of the tables afterwards', (items) => bytesOf((postgres.bytesAfter / postgres.items) * items)),
      bySize('write-ahead log in all', (items) => bytesOf(postgres.logBytesPerItem * items)),
      bySize('statements of SQL in all', (items) => grouped(round(postgres.statementsPerItem * items))),
      bySize('input', (items) => bytesOf(items * BYTES.input)),
      bySize('results', (items) => bytesOf(items * BYTES.result)),
    ]),
  dollars: () =>
    table(sizeHead('items'), [
      bySize('work', (items) => dollars((items * SECONDS_OF_WORK * DOLLARS_PER_WORKER_HOUR) / 3600)),
      bySize('writes to the object storage', (items) =>
        dollars(((items / ITEMS_PER_SHARD) * DOLLARS_PER_MILLION_WRITES) / 1e6),
      ),
      bySize('a month of inputs and results', (items) =>
        dollars(((items * (BYTES.input + BYTES.result)) / 1e9) * DOLLARS_PER_GB_MONTH),
      ),
    ]),
  workers: () =>
    table(
      [
        'work per item',
        `busy workers at ${DEFAULT_RATE} a second`,
        'at 1,000 a second',
        'items per job that keep 1,000 workers busy',
      ],
      [0.01, 0.1, 1, 10, 60].map((work) => [
        `${work} s`,
        grouped(DEFAULT_RATE * work),
        grouped(1000 * work),
        grouped(Math.max(1, Math.ceil(1000 / (DEFAULT_RATE * work)))),
      ]),
    ),
  limits: () =>
    [
      `- One endpoint accepts ${KNOWN_LIMIT} submissions a second: ${grouped(round(DEFAULT_RATE * SECONDS_PER_DAY))} items a day.`,
      `- In ${30} days that is ${grouped(round(DEFAULT_RATE * SECONDS_PER_DAY * 30))} items.`,
    ].join('\n'),
};

const before = readFileSync(page, 'utf8');
const filled = Object.entries(PARTS).reduce((text, [name, write]) => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/scale.md has no part ${name}`);
  return `${text.slice(0, from + begin.length)}\n\n${write()}\n\n${text.slice(to)}`;
}, before);
const after = await format(filled, { ...(await resolveConfig(page)), filepath: page });
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/scale.md is not up to date: run node scripts/scale.mjs');
    process.exitCode = 1;
  }
} else writeFileSync(page, after);
