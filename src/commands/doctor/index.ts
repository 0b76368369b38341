import { defineCommand } from '../../cli/model/command.ts';
import { manyOf, oneOf, orNull, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { linesOf, type Message, printed, sentence } from '../../core/message.ts';
import { text, toned } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { View } from '../../output/view.ts';
import { addressChecks } from './addresses.ts';
import { type Check, keyCheck, proxyCheck, settingsCheck } from './environment.ts';

const CHECKS = manyOf(
  ownObject({ check: TEXT, result: oneOf('OK', 'WARNING', 'ERROR', 'SKIPPED'), finding: TEXT, hint: orNull(TEXT) }),
);

const doctorView: View = {
  noun: ['check', 'checks'],
  id: text('check'),
  columns: [
    textColumn('check'),
    { header: 'RESULT', show: toned('result', { OK: 'good', WARNING: 'warn', ERROR: 'bad', SKIPPED: 'quiet' }) },
    textColumn('finding'),
    // Printed below the table as well, where it is never truncated.
    { header: 'WHAT TO DO', show: text('hint'), wide: true },
  ],
};

/** A failed check does not stop the others. */
export const doctor = defineCommand({
  output: CHECKS,
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  examples: [['berth doctor', 'each check, and what to do where one fails']],
  details:
    'Each request is sent once, without retries. Ends 0 only when all is well; else with the exit code of the first thing that is not.',
  run: async (ctx) => {
    const found = [await settingsCheck(ctx), proxyCheck(ctx), await keyCheck(ctx), ...(await addressChecks(ctx))];
    const checks = found.map((check, at) => once(check, found.slice(0, at)));
    const bad = checks.find((each) => each.result === 'ERROR');
    return {
      kind: 'many',
      view: doctorView,
      values: checks.map(({ check, result, finding, hint }) => ({
        ...{ check, result, finding },
        hint: hint === undefined ? null : printed(hint, ctx.settings),
      })),
      notes: isTableOutput(ctx.output) ? checks.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});

/** The same failure is said once: later rows name the first one. */
function once(check: Check, before: readonly Check[]): Check {
  const first = before.find(({ result, finding }) => result === 'ERROR' && finding === check.finding);
  if (first === undefined) return check;
  return { check: check.check, result: 'SKIPPED', finding: `not known: see ${first.check}` };
}

const advice = ({ check, result, finding, hint }: Check): readonly Message[] =>
  result === 'OK' || result === 'SKIPPED'
    ? []
    : ['', `${check}: ${finding}`, ...linesOf(hint).map((line) => sentence`  -> ${line}`)];
