import type { EndEvent } from '../run/run-state.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Failure } from '../../core/failure.ts';
import { decodeJson, encodeJson, memberAt, stringOf, type Json } from '../../core/json.ts';

/** An error, and how many of the items that ended had it. */
export interface CommonError {
  readonly error: string;
  readonly count: number;
}

/** What is remembered of the items that ended in this process, beside how many there are of each kind. */
export interface Tally {
  readonly ended: (event: EndEvent, document: Json) => void;
  readonly lost: (failure: Failure) => void;
  readonly unretried: (refusal: Failure) => void;
  /** Jobs that failed or timed out, and may run again. */
  readonly failedJobs: () => number;
  /** Items that the service would not take. */
  readonly refused: () => number;
  /** The most frequent error; undefined where nothing failed. */
  readonly commonest: () => CommonError | undefined;
  /** The most frequent reason why nobody knows whether an item was taken; undefined where all are known. */
  readonly commonestLoss: () => CommonError | undefined;
  /** Jobs that could not be run again because the service does not have them any more, and all others. */
  readonly gone: () => number;
  readonly unwilling: () => readonly [number, Failure] | undefined;
}

/** So many different errors are told apart, by so many characters: memory stays flat whatever fails. */
const MOST_ERRORS = 500;
const LONGEST_ERROR = 200;

export function createTally(): Tally {
  const errors = createCounts();
  const losses = createCounts();
  let [failedJobs, refused, gone, unwilling] = [0, 0, 0, 0];
  let refusal: Failure | undefined;
  return {
    ended: (event, document) => {
      if (event.kind === 'refuse') refused += 1;
      else if (event.ending === 'failed' || event.ending === 'timedOut') failedJobs += 1;
      else return;
      errors.add(errorOf(document));
    },
    lost: ({ message }) => {
      losses.add(message.slice(0, LONGEST_ERROR));
    },
    unretried: (failure) => {
      if (failure.exit === EXIT.notFound) gone += 1;
      else {
        unwilling += 1;
        refusal = failure;
      }
    },
    failedJobs: () => failedJobs,
    refused: () => refused,
    commonest: errors.most,
    commonestLoss: losses.most,
    gone: () => gone,
    unwilling: () => (refusal === undefined ? undefined : [unwilling, refusal]),
  };
}

interface Counts {
  readonly add: (error: string) => void;
  readonly most: () => CommonError | undefined;
}

function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    add: (error) => {
      const count = counts.get(error);
      if (count !== undefined || counts.size < MOST_ERRORS) counts.set(error, (count ?? 0) + 1);
    },
    most: () => {
      let most: CommonError | undefined;
      for (const [error, count] of counts) if (count > (most?.count ?? 0)) most = { error, count };
      return most;
    },
  };
}

/** The error of a job in one line: a string, which may hold JSON with a message (contract rules, Queue API). */
function errorOf(document: Json): string {
  const error = memberAt(document, 'error') ?? memberAt(document, 'status') ?? 'no error is told';
  const text = stringOf(error) ?? encodeJson(error);
  const said = messageIn(text) ?? text;
  // What went wrong stands at the end of a trace.
  const telling = /^\s*Traceback /.test(said)
    ? (said.trimEnd().slice(-LONGEST_ERROR).split('\n').at(-1) ?? said)
    : said;
  return telling.slice(0, LONGEST_ERROR).replaceAll(/\s+/g, ' ').trim();
}

/** A longer text is not read for the message in it. */
const LONGEST_READ = 100_000;

function messageIn(text: string): string | undefined {
  if (!text.startsWith('{') || text.length > LONGEST_READ) return undefined;
  try {
    const value = decodeJson(text);
    return stringOf(memberAt(value, 'error_message')) ?? stringOf(memberAt(value, 'message'));
  } catch {
    return undefined;
  }
}
