import { importLibrary, type Library } from './library.ts';

/** A shape of a Python worker, with the result that each input must have. */
export interface Shape {
  readonly name: string;
  /** Python: defines `handler`, with `progress(job, value)` and `note(job)` there already. */
  readonly source: string;
  /** What a library is told besides the handler, as the text of a dict; berth's own worker reads the same names of the file. */
  readonly options: Readonly<Record<string, string>>;
  readonly output: (n: number) => unknown;
}

export const SHAPES: readonly Shape[] = [
  {
    name: 'plain',
    source: 'def handler(job):\n    note(job)\n    return {"twice": job["input"]["n"] * 2}\n',
    options: {},
    output: (n) => ({ twice: n * 2 }),
  },
  {
    name: 'async',
    source:
      'import asyncio\nasync def handler(job):\n    note(job)\n    await asyncio.sleep(0.001)\n    return [job["input"]["n"]]\n',
    options: {},
    output: (n) => [n],
  },
  {
    name: 'generator',
    source: 'def handler(job):\n    note(job)\n    yield job["input"]["n"]\n    yield {"last": True}\n',
    options: { return_aggregate_stream: 'True' },
    output: (n) => [n, { last: true }],
  },
  {
    name: 'concurrent',
    source:
      'import asyncio\nasync def handler(job):\n    note(job)\n    await asyncio.sleep(0.05)\n    return str(job["input"]["n"])\n\ndef concurrency_modifier(current):\n    return 20\n',
    options: { concurrency_modifier: 'concurrency_modifier' },
    output: (n) => String(n),
  },
  {
    name: 'refreshed',
    source:
      'def handler(job):\n    note(job)\n    progress(job, {"at": 1})\n    progress(job, {"at": 2})\n    return job["input"]["n"]\n',
    options: { refresh_worker: 'True' },
    output: (n) => n,
  },
];

const note = ({ name }: Shape): string => `import os
def note(job):
    with open("${name}.ran", "a") as file:
        file.write("%s %d\\n" % (job["id"], os.getpid()))

`;

/** The files of workers, one for each shape. */
export const filesOf = (worker: (shape: Shape) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(SHAPES.map((shape) => [`${shape.name}.py`, note(shape) + worker(shape)]));

/** The file of a shape that berth's own worker serves. */
export const ownWorker = ({ source, options }: Shape): string =>
  `def progress(job, value):\n    job.progress(value)\n\n${source}\n${Object.entries(options)
    .filter(([name, value]) => name !== value)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')}`;

/** The file of a shape that starts the worker library. */
export const libraryWorker = ({ source, options }: Shape, library: Library): string =>
  `${importLibrary(library)}progress = worker.progress_update

${source}
worker.start({${Object.entries({ handler: 'handler', ...options })
    .map(([name, value]) => `"${name}": ${value}`)
    .join(', ')}})
`;
