import { Failure } from '../../core/failure.ts';
import { berth, sentence, type Message } from '../../core/message.ts';

/** What a control request can name, and the command that lists it. */
const LISTS = {
  endpoint: berth`endpoints list`,
  pod: berth`pods list`,
  fault: berth`local fault list`,
} as const satisfies Readonly<Record<string, Message>>;

/** Names what a control request was about in its failure, where that is that there is no such thing (404). */
export const withNoSuch = (error: unknown, noun: keyof typeof LISTS, word: string): unknown =>
  error instanceof Failure && error.detail === `${noun} not found`
    ? error.with({
        message: `there is no ${noun} ${JSON.stringify(word)}`,
        hint: sentence`See which there are: ${LISTS[noun]}`,
      })
    : error;
