import { describe, expect, test } from 'vitest';
import { createFailureMonitor, createRunControl } from '../../../../src/batch/run/run-state.ts';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { Failure } from '../../../../src/core/failure.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';

const unknown = new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'no answer' });
const unavailable = new Failure({ code: 'unavailable', exit: EXIT.unavailable, message: 'no service' });

function createWorld() {
  const clock = createTestClock();
  const control = createRunControl(() => undefined);
  return { clock, control, monitor: createFailureMonitor(clock, control, () => undefined) };
}

describe('a batch stops', () => {
  test('after 20 submissions in a row that may or may not have been accepted', () => {
    const { control, monitor } = createWorld();
    for (let count = 0; count < 19; count++) monitor.onFailure(unknown);
    expect(control.stopped()).toBeUndefined();
    monitor.onFailure(unknown);
    expect(control.stopped()).toEqual({ reason: 'error', failure: unknown });
  });

  test('not while others succeed', () => {
    const { control, monitor } = createWorld();
    for (let count = 0; count < 100; count++) {
      monitor.onFailure(unknown);
      if (count % 10 === 0) monitor.onSuccess();
    }
    expect(control.stopped()).toBeUndefined();
  });

  test('when requests have failed for more than two minutes', () => {
    const { clock, control, monitor } = createWorld();
    monitor.onFailure(unavailable);
    clock.advance(120_000);
    monitor.onFailure(unavailable);
    expect(control.stopped()).toBeUndefined();
    clock.advance(1);
    monitor.onFailure(unavailable);
    expect(control.stopped()).toMatchObject({ reason: 'error' });
  });
});
