import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';

import { text, toned } from '../../output/cells/cell-functions.ts';
import type { View } from '../../output/view.ts';
import { option } from '../../cli/model/params.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { addressChecks } from './addresses.ts';
import { CHECKS, advice, asRow, createFailedRow, type Check } from './check.ts';
import { keyCheck, proxyCheck, settingsCheck } from './environment.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';

const doctorView: View = {
  noun: ['check', 'checks'],
  id: text('check'),
  columns: [
    textColumn('check'),
    { header: 'RESULT', show: toned('result', { OK: 'good', WARNING: 'warn', ERROR: 'bad', SKIPPED: 'quiet' }) },
    textColumn('finding'),
    // Printed below the table as well, where it is never cut.
    { header: 'WHAT TO DO', show: text('hint'), wide: true },
  ],
};

/** `berth doctor`: each check is a row, and a check that fails does not keep the others from being made. */
export const doctor = defineCommand({
  output: CHECKS,
  summary: 'check addresses, key, clock, proxy and settings; changes nothing',
  options: {
    contract: option.on('compare what the service publishes about itself with what this version of berth knows'),
  },
  examples: [
    ['berth doctor', 'each check, and what to do where one fails'],
    ['berth doctor --contract', 'what the service has that this version of berth does not know'],
  ],
  details:
    'Each request is sent once, without retries. Ends 0 only when all is well; else with the exit code of the first thing that is not. --contract makes no other check: it reads the OpenAPI document of the service and lists operations, members, values and bounds that differ. WARNING: berth can be wrong because of it, and the exit code is 7. OK: it cannot.',
  run: async (ctx, { contract }) => {
    const checks = contract ? await (await import('./contract.ts')).contractChecks(ctx) : await serviceChecks(ctx);
    const bad = checks.find((each) => each.result === 'ERROR');
    // The table has the differences already; only what is to be done is said again.
    const told = contract ? checks.filter(({ result }) => result === 'ERROR') : checks;
    return {
      kind: 'many',
      view: doctorView,
      values: checks.map((check) => asRow(check, ctx.settings)),
      notes: ctx.output.format === undefined || ctx.output.format === 'table' ? told.flatMap(advice) : [],
      exit: bad === undefined ? EXIT.done : (bad.exit ?? EXIT.bug),
    };
  },
});

/** Settings, proxy, key and addresses. */
async function serviceChecks(ctx: CommandContext): Promise<readonly Check[]> {
  const failed = createFailedRow();
  const settings = await settingsCheck(ctx, failed);
  return [
    settings.check,
    proxyCheck(ctx),
    await keyCheck(ctx, settings, failed),
    ...(await addressChecks(ctx, settings, failed)),
  ];
}
