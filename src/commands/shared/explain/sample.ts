import { option } from '../../../cli/parse/params.ts';

/** How long the queue is watched by default, in milliseconds. */
const DEFAULT_SAMPLE_MS = 3000;

/** The flag of commands that estimate how fast jobs end. */
export const SAMPLE_OPTION = {
  sample: option.durationOr(
    'how long to watch the queue when jobs wait, to estimate the time; 0 for no estimate',
    's',
    DEFAULT_SAMPLE_MS,
    '3s',
  ),
};
