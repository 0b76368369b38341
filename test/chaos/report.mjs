/** Formats the findings and the totals of a campaign. */

const add = (sums, more) => {
  for (const [name, count] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + count;
};

const listed = (sums) =>
  Object.entries(sums)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

/** Collects the outcomes of rounds. */
export function createReport(seed) {
  const total = { rounds: 0, items: 0, runs: 0, unknown: 0, findings: 0 };
  const [events, exits, kinds] = [{}, {}, new Map()];
  return {
    /** Adds a round and returns its findings as text. */
    add: ({ plan, findings, counts, exits: codes, runs, items, unknown, folder }) => {
      total.rounds += 1;
      total.items += items;
      total.runs += runs;
      total.unknown += unknown;
      total.findings += findings.length;
      add(events, counts);
      add(exits, codes);
      return findings.map(({ kind, detail }) => {
        const rounds = kinds.get(kind) ?? [];
        kinds.set(kind, [...rounds, plan.round]);
        return `FOUND  seed ${seed}, round ${plan.round}: ${kind}\n       ${detail.replaceAll('\n', '\n       ')}\n       kept in ${folder}`;
      });
    },
    hasFindings: () => total.findings > 0,
    text: (seconds) =>
      [
        `seed ${seed}: ${total.rounds} rounds, ${total.items} items, ${total.runs} runs of the batch, ${Math.round(seconds)} s`,
        `events: ${listed(events)}`,
        `exit codes: ${listed(exits)}`,
        `items unknown at the end: ${total.unknown}`,
        `lost: ${countOf(kinds, /^lost/)}, double: ${countOf(kinds, /^double/)}, findings: ${total.findings}`,
        ...[...kinds].map(
          ([kind, rounds]) => `  ${rounds.length} x ${kind} (rounds ${[...new Set(rounds)].slice(0, 8).join(', ')})`,
        ),
      ].join('\n'),
  };
}

const countOf = (kinds, pattern) =>
  [...kinds].filter(([kind]) => pattern.test(kind)).reduce((sum, [, rounds]) => sum + rounds.length, 0);
