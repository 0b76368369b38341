import { errorCode } from '../../core/files/file-errors.ts';
import type { Blocking } from '../../core/context.ts';
import { interrupted } from '../../core/failure.ts';

/** Whether `vm` can interrupt WebAssembly. It cannot in the single executable, which has another engine than Node. */
export const CAN_INTERRUPT = process.versions['bun'] === undefined;

/** Returns what runs synchronous work: Ctrl-C interrupts the work where that is possible, and otherwise nothing does. */
export const workRunner = (): Blocking => (CAN_INTERRUPT ? interruptibleRunner() : (work) => work());

/** Runs work in a `vm` script, during which Node handles Ctrl-C on another thread. Fails with interrupted (130). */
function interruptibleRunner(): Blocking {
  let prepared: { readonly sandbox: { work?: () => unknown }; readonly run: () => unknown } | undefined;
  const prepare = (): NonNullable<typeof prepared> => {
    const { createContext, Script } = process.getBuiltinModule('node:vm');
    const sandbox = createContext({}) as { work?: () => unknown };
    const script = new Script('work()');
    return { sandbox, run: () => script.runInContext(sandbox, { breakOnSigint: true }) as unknown };
  };
  return <T>(work: () => T): T => {
    const { sandbox, run } = (prepared ??= prepare());
    sandbox.work = work;
    try {
      return run() as T;
    } catch (error) {
      if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw interrupted('SIGINT');
      throw error;
    }
  };
}
