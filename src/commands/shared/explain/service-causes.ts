import { berth } from '../../../core/message.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { formatDuration } from '../../../core/units.ts';
import type { Fact, Unread } from './facts.ts';
import type { Cause } from './verdict.ts';

/** The facts that an explanation requested. */
type Facts<F> = (facts: F) => readonly (Fact<unknown> | undefined)[];

const unreadOf = (all: readonly (Fact<unknown> | undefined)[]): readonly Unread[] =>
  all.flatMap((fact) => (fact === undefined || fact.known ? [] : [fact]));

/** Refusals of the service that are a reason by themselves: too many requests (429), and too little money (402). */
export const serviceCauses = <F>(all: Facts<F>): readonly Cause<F>[] => [
  {
    code: 'rate-limited',
    state: 'blocked',
    find: (facts) => {
      const refused = unreadOf(all(facts)).filter(({ failure }) => failure.exit === EXIT.rateLimited);
      if (refused.length === 0) return undefined;
      const seconds = Math.max(...refused.map(({ failure }) => failure.retryAfter ?? 0));
      return {
        verdict: seconds === 0 ? 'rate limited' : `rate limited for ${formatDuration(seconds * 1000)}`,
        cure: [berth`limits`],
      };
    },
  },
  {
    code: 'low-balance',
    state: 'blocked',
    find: (facts) =>
      unreadOf(all(facts)).some(({ failure }) => failure.status === 402)
        ? {
            verdict: 'the balance of the account is too low: nothing is started until there is credit',
            cure: [berth`billing summary`],
          }
        : undefined,
  },
];

/** True when a failure is itself the reason, so that an explanation needs no other facts. */
export const isReason = ({ failure }: Unread): boolean => failure.exit === EXIT.rateLimited || failure.status === 402;

/** The finding of an explanation that lacks a fact it needs. It ends with the exit code of that request's failure. */
export const couldNotTell = ({ failure, source }: Unread): ReturnType<Cause<unknown>['find']> => ({
  verdict: `could not tell: ${source}: ${failure.message}`,
  ...(failure.hint === undefined ? {} : { cure: [berth`doctor`] }),
  exit: failure.exit,
});
