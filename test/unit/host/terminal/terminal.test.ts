import { describe, expect, it } from 'vitest';
import { describeTerminal } from '../../../../src/host/terminal/terminal.ts';
import { Settings } from '../../../../src/settings/settings.ts';
import { createTestWorld, type TestWorldOptions } from '../../../support/worlds/test-world.ts';
import type { Terminal } from '../../../../src/core/context.ts';

const terminal = (options: TestWorldOptions, choices: { 'no-input'?: boolean; 'no-color'?: boolean } = {}): Terminal =>
  describeTerminal(
    createTestWorld(options),
    new Settings({ env: {}, platform: 'linux', home: '/', cwd: '/' }, choices),
  );

describe('the properties of the terminal', () => {
  it.each<[TestWorldOptions, { 'no-input'?: boolean }, Partial<Terminal>]>([
    [{}, {}, { output: false, errors: false, canAsk: false, columns: undefined }],
    [{ tty: true, columns: 132 }, {}, { output: true, errors: true, canAsk: true, columns: 132, rows: 24 }],
    [{ tty: { stdout: true } }, {}, { output: true, errors: false, canAsk: false }],
    [{ tty: { stdin: true, stderr: true } }, {}, { output: false, errors: true, canAsk: true, columns: undefined }],
    [{ tty: { stdout: true, stderr: true } }, {}, { canAsk: false }],
    [{ tty: true }, { 'no-input': true }, { output: true, canAsk: false }],
    [{ tty: true, columns: 90 }, {}, { redraws: true }],
    [
      { tty: true, columns: 90, env: { TERM: 'dumb' } },
      {},
      { output: true, errors: true, redraws: false, canAsk: false, columns: 90 },
    ],
    [{ tty: true, env: { TERM: '' } }, {}, { output: true, redraws: false, canAsk: false }],
    [{ tty: true, env: { TERM: '' }, platform: 'win32' }, {}, { redraws: true }],
    [{ tty: true, env: { TERM: 'dumb', CI: 'true' } }, {}, { canAsk: false }],
    [{ tty: true, env: { CI: 'true' } }, {}, { output: false, errors: false, canAsk: false }],
    [{ tty: true, env: { CI: 'false' } }, {}, { output: true, canAsk: true }],
    [{ tty: true, env: { COLUMNS: '60' } }, {}, { columns: 60 }],
    [{ tty: true, columns: 90, env: { COLUMNS: 'wide' } }, {}, { columns: 90 }],
    [{ tty: true, columns: 0 }, {}, { columns: undefined }],
    [{ env: { COLUMNS: '60' } }, {}, { columns: undefined }],
  ])('with %j and %j: %j', (options, choices, wanted) => {
    expect(terminal(options, choices)).toMatchObject(wanted);
  });

  it.each<[TestWorldOptions, { 'no-color'?: boolean }, boolean]>([
    [{ tty: true }, {}, true],
    [{}, {}, false],
    [{ tty: true }, { 'no-color': true }, false],
    [{ env: { FORCE_COLOR: '1' } }, {}, true],
    [{ tty: true, env: { FORCE_COLOR: '0' } }, {}, false],
    [{ env: { FORCE_COLOR: '1' } }, { 'no-color': true }, false],
    [{ tty: true, env: { FORCE_COLOR: '' } }, {}, true],
    [{ tty: true, env: { TERM: 'dumb' } }, {}, false],
    [{ tty: true, env: { TERM: '' } }, {}, false],
    [{ tty: true, env: { CI: '1', FORCE_COLOR: '1' } }, {}, true],
  ])('colour with %j and %j: %s', (options, choices, wanted) => {
    expect(terminal(options, choices).colour).toMatchObject({ output: wanted, errors: wanted });
  });
});
