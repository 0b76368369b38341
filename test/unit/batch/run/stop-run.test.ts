import { describe, expect, test } from 'vitest';
import { createFailureMonitor, createRunControl } from '../../../../src/batch/run/run-state.ts';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { Failure } from '../../../../src/core/failure.ts';
import { createScriptedService, answerNormally, unreachable } from '../../../support/batch/scripted-service.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

const HOUR_MS = 3_600_000;
const unknown = new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'no answer' });
const unavailable = new Failure({ code: 'unavailable', exit: EXIT.unavailable, message: 'no service' });

function createWorld(maxTime?: number) {
  const clock = createTestClock();
  const control = createRunControl(() => undefined);
  return { clock, control, monitor: createFailureMonitor(clock, control, () => undefined, maxTime) };
}

describe('an outage', () => {
  test('of more than an hour stops a batch', () => {
    const { clock, control, monitor } = createWorld();
    monitor.onFailure(unavailable);
    clock.advance(HOUR_MS);
    monitor.onFailure(unavailable);
    expect(control.stopped()).toBeUndefined();
    clock.advance(1);
    monitor.onFailure(unavailable);
    expect(control.stopped()).toMatchObject({ reason: 'error' });
  });

  test('is left to --max-time where that is given', () => {
    const { clock, control, monitor } = createWorld(5 * HOUR_MS);
    monitor.onFailure(unavailable);
    clock.advance(2 * HOUR_MS);
    monitor.onFailure(unavailable);
    expect(control.stopped()).toBeUndefined();
  });

  test('of submissions alone stops it too, though reads are answered', () => {
    const { clock, control, monitor } = createWorld();
    for (let minute = 0; minute <= 61; minute++) {
      monitor.onUnanswered(unknown);
      monitor.onSuccess();
      clock.advance(60_000);
    }
    expect(control.stopped()).toMatchObject({ reason: 'error', failure: unknown });
  });
});

test('after ten submissions in a row without an answer, each further one needs a read that was answered', () => {
  const { monitor } = createWorld();
  monitor.onSuccess();
  for (let count = 0; count < 9; count++) monitor.onUnanswered(unknown);
  expect(monitor.submissionsAllowed(0)).toBe(Number.POSITIVE_INFINITY);
  monitor.onUnanswered(unknown);
  expect(monitor.submissionsAllowed(0)).toBe(0);
  monitor.onSuccess();
  expect([monitor.submissionsAllowed(0), monitor.submissionsAllowed(1)]).toEqual([1, 0]);
  monitor.onSubmitted();
  expect(monitor.submissionsAllowed(1)).toBe(Number.POSITIVE_INFINITY);
});

const PHASES = [
  ['from the first submission on', 0],
  ['in the middle', 500],
] as const;

test.each(PHASES)('an outage of 50 minutes %s is waited out, and few submissions are lost', async (_, from) => {
  const world = await createScriptedService(100, (asked) => {
    const isAway = asked.at >= start + from && asked.at < start + from + 50 * 60_000;
    if (isAway) throw asked.operation === 'run' ? unknown : unreachable();
    return answerNormally(asked);
  });
  const start = world.clock.now();
  const end = await world.run(world.batch);
  expect(end.stopped).toBeUndefined();
  expect(end.counts.unknown).toBeLessThanOrEqual(17);
  expect(end.counts).toMatchObject({ completed: 100 - end.counts.unknown });
});
