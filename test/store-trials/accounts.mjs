/** Compares the books in PostgreSQL, the parts and what the service received. Returns what is wrong, a sentence each. */
import { createHash } from 'node:crypto';

/** The sum of all items by the counts of the books: one statement. */
const IDENTITY = `SELECT planned, completed, failed, cancelled, timed_out, expired, unknown, submitted, sending, waiting, holds
  FROM berth.accounts WHERE name = 'NAME'`;

/**
 * The same sum by the latest record of each open item, independent of the counts that are stored with the records: one
 * statement, in which every item is counted from the published ends, from its records, or as one without either.
 */
const IDENTITY_BY_RECORDS = `
  WITH batch AS (SELECT batch, planned FROM berth.batches WHERE name = 'NAME'),
  latest AS (
    SELECT DISTINCT ON (event->>1) event->>0 AS code
    FROM berth.records JOIN batch USING (batch), json_array_elements(events) WITH ORDINALITY AS each(event, place)
    ORDER BY event->>1, shard, epoch DESC, number DESC, place DESC
  ),
  open AS (
    SELECT count(*) FILTER (WHERE code = 'i') AS sending, count(*) FILTER (WHERE code IN ('s', 'r')) AS submitted,
      count(*) FILTER (WHERE code = 'u') AS unknown
    FROM latest
  ),
  ended AS (
    SELECT sum(completed + failed + cancelled + timed_out + expired + unknown) AS published,
      sum(CASE WHEN done THEN items - invalid ELSE bit_count(ended) END) AS marked
    FROM berth.shards JOIN batch USING (batch)
  )
  SELECT planned, published, marked, open.sending, open.submitted, open.unknown,
    published = marked
      AND (open.sending, open.submitted) = (accounts.sending, accounts.submitted)
      AND planned = published + open.sending + open.submitted + open.unknown + accounts.waiting AS holds
  FROM batch CROSS JOIN open CROSS JOIN ended JOIN berth.accounts USING (batch, planned)`;

/** Reads the identity twice over. Returns the counts, and what is wrong. */
export async function checkIdentity(cluster, database, name) {
  const wrong = [];
  const read = async (sql) => (await cluster.query(sql.replace('NAME', name), database)).split('|');
  const [planned, completed, failed, cancelled, timedOut, expired, unknown, submitted, sending, waiting, holds] =
    await read(IDENTITY);
  if (holds !== 't')
    wrong.push(
      `the identity does not hold: ${[planned, completed, failed, cancelled, timedOut, expired, unknown, submitted, sending, waiting].join(' ')}`,
    );
  const byRecords = await read(IDENTITY_BY_RECORDS);
  if (byRecords.at(-1) !== 't') wrong.push(`the identity does not hold by the records: ${byRecords.join(' ')}`);
  return {
    counts: {
      planned: Number(planned),
      completed: Number(completed),
      unknown: Number(unknown),
      waiting: Number(waiting),
    },
    wrong,
  };
}

/**
 * Compares the submissions at the service with the items that have a result and those that are listed as unknown. `results`
 * holds a line for each result. Each item must have one result and one submission, or be listed.
 */
export function checkItems({ items, counts, results, unknown }) {
  const lost = [];
  const twice = [];
  const wrong = [];
  const seen = new Uint8Array(items + 1);
  const listed = new Set(unknown);
  for (const line of results) {
    if (!(line.item >= 1 && line.item <= items)) wrong.push(`a result of item ${line.item}, which does not exist`);
    else {
      seen[line.item] += 1;
      if (line.status === 'COMPLETED' && line.output?.n !== line.item)
        wrong.push(`the result of item ${line.item} is that of item ${line.output?.n}`);
    }
  }
  for (let item = 1; item <= items; item += 1) {
    const submissions = counts[item];
    if (seen[item] > 1) wrong.push(`item ${item} has ${seen[item]} results`);
    if (listed.has(item)) {
      if (seen[item] > 0) wrong.push(`item ${item} has a result and is listed as unknown`);
      if (submissions > 1) twice.push(item);
    } else {
      if (seen[item] === 0) lost.push(item);
      if (submissions !== 1) (submissions === 0 ? lost : twice).push(item);
    }
  }
  if (lost.length > 0) wrong.push(`lost: ${lost.length} items, such as ${lost.slice(0, 5).join(', ')}`);
  if (twice.length > 0) wrong.push(`sent twice: ${twice.length} items, such as ${twice.slice(0, 5).join(', ')}`);
  return wrong;
}

/** Reads the published parts. `read(name)` returns the bytes of a part. Returns the results and what is wrong. */
export async function readParts(cluster, database, name, read) {
  const sql = `SELECT p.name, p.bytes, p.sha256, p.items FROM berth.parts p JOIN berth.batches b USING (batch) WHERE b.name = '${name}' AND p.name <> ''`;
  const rows = (await cluster.query(sql, database)).split('\n').filter((row) => row !== '');
  const results = [];
  const wrong = [];
  for (const row of rows) {
    const [part, bytes, sha256, items] = row.split('|');
    const content = await read(part);
    if (content === undefined) {
      wrong.push(`the published part ${part} does not exist`);
      continue;
    }
    const hash = createHash('sha256').update(content).digest('hex');
    if (String(content.length) !== bytes || hash !== sha256) wrong.push(`the part ${part} is not what was published`);
    const lines = content
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    if (lines.length !== Number(items)) wrong.push(`the part ${part} has ${lines.length} results, not ${items}`);
    for (const line of lines) results.push(JSON.parse(line));
  }
  return { results, wrong, parts: rows.map((row) => row.split('|')[0]) };
}

/** Returns the numbers of the items that are listed as unknown. */
export async function readUnknown(cluster, database, name) {
  const sql = `SELECT item FROM berth.unknown_items JOIN berth.batches USING (batch) WHERE name = '${name}'`;
  return (await cluster.query(sql, database))
    .split('\n')
    .filter((row) => row !== '')
    .map(Number);
}
