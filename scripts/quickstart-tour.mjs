/** What `npm run quickstart` shows: titles with command lines. A line that ends with `# N` ends with that exit code. */
export const TOUR = [
  ['A network volume for data', 'volumes create datasets --size 100 --data-center EU-NORTH-1'],
  ['The pods of the account, and the details of a running one', 'pods list', 'pods get pod-train'],
  ['A job: numbers are returned exactly as they were sent', 'jobs run demo --input {"n":9007199254740993} --wait'],
  ['A job that streams its output', 'jobs run stream --input {"chunks":3} --stream'],
  ['A job that fails', 'jobs run fail --input {} --wait # 10'],
  [
    'More jobs than workers: the purge removes those that wait, and those that run go on',
    ...Array.from({ length: 5 }, () => 'jobs run sleep --input {"seconds":60}'),
    'local clock advance 30s',
    'queue purge sleep --yes --json',
    'health sleep',
  ],
].map(([title, ...lines]) => ({
  title,
  commands: lines.map((line) => {
    const [words, code = '0'] = line.split(' # ');
    return { words: words.split(' '), code: Number(code) };
  }),
}));
