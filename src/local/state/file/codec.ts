import { createHash } from 'node:crypto';
import type { Job } from '../../queue/state/records.ts';
import { revived, type State } from '../state.ts';

/** A state as the text of its file. */
export interface Encoded {
  /** All but what `textOfFile` puts before it: two states with the same body differ in nothing that matters. */
  readonly body: string;
  /** The long texts that it names. */
  readonly named: ReadonlySet<string>;
  /** Those of them that may not have been kept yet. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Texts of jobs with more characters lie in files of their own. */
const LONG = 16_384;

/** A job's JSON text, and what its long texts are. */
interface Written {
  readonly text: string;
  readonly names: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Where a job's record has a long text in the file. */
interface Named {
  readonly text: string;
}

type OnFile<T> = { readonly [K in keyof T]: T[K] | Named };

/** A job as it stands in the file. */
type JobOnFile = OnFile<Omit<Job, 'stream'>> & {
  readonly stream: Omit<Job['stream'], 'pending'> & { readonly pending: readonly (string | Named)[] };
};

export interface StateText {
  encode(state: State): Encoded;
  /** Undoes `textOfFile`, once parsed; the long texts of jobs are read when they are looked at. */
  decode(value: State & Partial<OfFile>): State;
  /** Lets go of the long texts of a state that was saved: from now on they are read where they are looked at. */
  lighten(state: State): void;
}

/**
 * States as text. A job's record is never changed in place, so its text is made once; `read` gives a long text by its
 * name, and may throw.
 */
export function createStateText(read: (name: string) => string): StateText {
  const known = new WeakMap<Job, Written>();
  const writtenOf = (job: Job): Written => {
    const written = known.get(job) ?? write(job);
    known.set(job, written);
    return written;
  };

  /** A record as it is in the file, its long texts to be read when they are looked at. */
  const lightOf = (job: JobOnFile): Job => {
    const light = withReaders({ ...job, stream: withReaders(job.stream, read) }, read) as unknown as Job;
    const names = namesIn(job);
    known.set(light, { text: JSON.stringify(job), names, texts: new Map() });
    return light;
  };

  const decodeJob = (job: Job): Job => (namesIn(job).length === 0 ? job : lightOf(job));

  return {
    encode: ({ version: _version, asOf: _asOf, wallAt: _wallAt, queue, ...rest }) => {
      const { asOf: _queueAsOf, jobs, timers, awaited, ...others } = queue;
      const named = new Set<string>();
      const texts = new Map<string, string>();
      const textOf = (job: Job): string => {
        const written = writtenOf(job);
        for (const name of written.names) named.add(name);
        for (const [name, text] of written.texts) texts.set(name, text);
        return written.text;
      };
      const waits = Object.entries(awaited).map(([id, { last, ...wait }]) =>
        member(
          id,
          last === undefined ? JSON.stringify(wait) : `{"last":${textOf(last)},${JSON.stringify(wait).slice(1)}`,
        ),
      );
      const all = Object.values(jobs).map((job) => member(job.id, textOf(job)));
      const inQueue = [
        `"jobs":{${all.join(',')}}`,
        `"awaited":{${waits.join(',')}}`,
        member('timers', JSON.stringify(timers)),
      ];
      const body = `"queue":{${inQueue.join(',')},${JSON.stringify(others).slice(1)},${JSON.stringify(rest).slice(1)}`;
      return { body, named, texts };
    },
    decode: (value) => {
      const { queueAsOf, stamp: _stamp, ...state } = value;
      const { jobs, awaited } = state.queue;
      for (const [id, job] of Object.entries(jobs)) jobs[id] = decodeJob(job);
      for (const [id, wait] of Object.entries(awaited))
        if (wait.last !== undefined) awaited[id] = { ...wait, last: decodeJob(wait.last) };
      return revived({ ...state, queue: { ...state.queue, asOf: queueAsOf ?? state.queue.asOf } });
    },
    lighten: ({ queue }) => {
      const light = (job: Job): Job =>
        writtenOf(job).texts.size === 0 ? job : lightOf(JSON.parse(writtenOf(job).text) as JobOnFile);
      for (const [id, job] of Object.entries(queue.jobs)) queue.jobs[id] = light(job);
      for (const [id, wait] of Object.entries(queue.awaited))
        if (wait.last !== undefined) queue.awaited[id] = { ...wait, last: light(wait.last) };
    },
  };
}

/** What the file has beside the state. */
export interface OfFile {
  /** Another in every text of a file. */
  readonly stamp: string;
  readonly queueAsOf: number;
}

export const textOfFile = ({ version, asOf, wallAt, queue }: State, stamp: string, body: string): string =>
  `${JSON.stringify({ version, stamp, asOf, wallAt, queueAsOf: queue.asOf } satisfies OfFile & Partial<State>).slice(0, -1)},${body}`;

const member = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`;

/** A job's record as text. All its members are the queue's own: nothing of a user's can be taken for a named text. */
function write(job: Job): Written {
  const texts = new Map<string, string>();
  const text = JSON.stringify(job, (_, value: unknown) => {
    // What is no Unicode would not come back from a file.
    if (typeof value !== 'string' || value.length <= LONG || LONE_SURROGATE.test(value)) return value;
    // An echo's output is its input: one text, hashed once.
    const name = [...texts].find(([, known]) => known === value)?.[0] ?? sha256(value);
    texts.set(name, value);
    return { text: name } satisfies Named;
  });
  return { text, names: [...texts.keys()], texts };
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const isNamed = (value: unknown): value is Named => typeof value === 'object' && value !== null && 'text' in value;

const namesIn = (job: JobOnFile): readonly string[] =>
  [...Object.values(job), ...job.stream.pending].filter(isNamed).map(({ text }) => text);

/** A record whose long texts are read each time they are looked at: few are, and together they may be too many. */
function withReaders(record: object, read: (name: string) => string): object {
  const light = { ...record };
  const define = (name: string, get: () => unknown): void => {
    Object.defineProperty(light, name, { enumerable: true, get });
  };
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    if (isNamed(value)) define(name, () => read(value.text));
    else if (Array.isArray(value) && value.some(isNamed))
      define(name, () => value.map((each: unknown) => (isNamed(each) ? read(each.text) : each)));
  }
  return light;
}
