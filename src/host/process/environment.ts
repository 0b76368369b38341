import { SECRET_VARIABLES } from '../../settings/settings-table.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The environment of other programs: without the user's keys. */
export const withoutKeys = (env: Runtime['env']): Runtime['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLES.includes(name)));
