import { describe, expect, test } from 'vitest';
import { createLease, type Lease } from '../../../../../../src/batch/stores/postgres/driver/lease.ts';
import { createTestClock, type TestClock } from '../../../../../support/clocks/test-clock.ts';

const LEASE_MS = 10_000;

function renewedLease(): { lease: Lease; clock: TestClock } {
  const clock = createTestClock();
  const lease = createLease(clock, LEASE_MS);
  lease.renewed(lease.mark());
  return { lease, clock };
}

describe('a driver may send', () => {
  test('only after its first renewal', () => {
    expect(createLease(createTestClock(), LEASE_MS).isValid()).toBe(false);
    expect(renewedLease().lease.isValid()).toBe(true);
  });

  test('until a fifth of its lease is left', () => {
    const { lease, clock } = renewedLease();
    clock.advance(7999);
    expect(lease.isValid()).toBe(true);
    clock.advance(1);
    expect(lease.isValid()).toBe(false);
  });

  test('not after the machine was suspended, when only the wall clock moves', () => {
    const { lease, clock } = renewedLease();
    clock.jumpWall(8000);
    expect(lease.isValid()).toBe(false);
  });

  test('no longer because the wall clock was set back', () => {
    const { lease, clock } = renewedLease();
    clock.jumpWall(-3_600_000);
    clock.advance(8000);
    expect(lease.isValid()).toBe(false);
  });

  test('from when a renewal was sent, whenever its answer comes', () => {
    const { lease, clock } = renewedLease();
    const mark = lease.mark();
    clock.advance(7000);
    lease.renewed(mark);
    clock.advance(1000);
    expect(lease.isValid()).toBe(false);
  });

  test('by the latest of two renewals, in whichever order their answers come', () => {
    const { lease, clock } = renewedLease();
    const earlier = lease.mark();
    clock.advance(5000);
    const later = lease.mark();
    lease.renewed(later);
    lease.renewed(earlier);
    clock.advance(7000);
    expect(lease.isValid()).toBe(true);
  });
});
