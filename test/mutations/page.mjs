/** Returns docs/mutation-testing.md: how many mutations were caught, and why the others survive. */
export function page(areas, found, commit, date) {
  const of = (mutations, result) =>
    found.filter((each) => mutations.includes(each.mutation) && each.result === result).length;
  const row = (name, mutations) =>
    `| ${name} | ${mutations.length} | ${of(mutations, 'caught')} | ${of(mutations, 'survived')} |`;
  const all = areas.flatMap(({ mutations }) => mutations);
  const survivors = found.filter(({ result }) => result === 'survived');
  return `# Mutation testing

A mutation is a plausible bug: a small replacement in a source file, such as a retry of a request that was sent, or a
lease that is checked without its epoch. \`npm run mutation-trials\` switches the mutations of \`test/mutations\` on, one at
a time and in a copy of the project, and runs the test files that should fail. A mutation is caught when a test fails; a
timeout counts only where the bug makes something wait for ever. The list was written before the tests were known to
catch it; tests for most of those that survived were written then. A mutation is tried again when its source file or one
of its test files has changed. A unit test checks that each mutation still applies to exactly one place.

Last run: ${date.toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}.

| area | mutations | caught | survived |
| --- | --- | --- | --- |
${areas.map(({ area, mutations }) => row(`\`${area}\``, mutations)).join('\n')}
${row('all', all)}

## Survivors

${
  survivors.length === 0
    ? 'None.'
    : survivors
        .map(
          ({ mutation: { name, file, about, explained = 'No explanation yet.' } }) =>
            `- \`${name}\` (\`${file}\`): ${about}. ${explained}`,
        )
        .join('\n')
}

The list is our own and not generated: a generator makes thousands of changes that nobody would write, its current
version needs a newer Node than berth does, and it brings 200 packages. What the list lacks, no figure here shows.
`;
}
